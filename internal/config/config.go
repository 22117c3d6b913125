// Package config is what a person can set, and where loci keeps its files.
//
// [Config] is the one list of settings: its tags give each its name in
// config.yaml, its environment variable and its description, and from them
// come the annotated example, the JSON Schema and the reference, so that none
// of them can disagree. [Load] reads the settings in the order flags,
// environment, file, defaults. [FindPaths] says where the files are, and
// [Lock] makes sure that one process at a time uses them.
//
// Nothing in a folder that a model may look into is ever read as
// configuration.
package config

import (
	"time"

	"loci"
)

// Version is the newest layout of config.yaml that this program knows.
const Version = 1

// Config is every setting. The tags of a field mean:
//
//	yaml   name in config.yaml
//	env    name of the environment variable, where it is not LOCI_ and the
//	       yaml name in capitals; - for none
//	doc    description, one or two sentences
//	enum   the allowed values
//	is     the rule that the text has to follow; see rules
//	min    smallest and
//	max    largest number
//	short  this field alone may stand for the whole entry
//	key    the rule that the keys of the table have to follow; see rules
//	items  what a list is a list of
type Config struct {
	// Where loci listens, and who it asks.

	Version  int       `yaml:"version" env:"-" doc:"Layout of this file."`
	Listen   string    `yaml:"listen" is:"address" doc:"Address and port to listen on. Port 0 picks a free one. Anything but a loopback address opens loci to other machines, which needs tls, or insecure."`
	TLS      TLS       `yaml:"tls"`
	Insecure bool      `yaml:"insecure" doc:"Let other machines reach loci without encryption: whoever is on the way can read everything, the keys too. For containers on this machine, or behind a proxy that encrypts."`
	Key      Secret    `yaml:"key" doc:"The key that opens everything, or where it is: secret:NAME, env:NAME, file:PATH or cmd:PROGRAM. Empty: one is made at the first start and kept beside this file, as the chat key is."`
	Backends []Backend `yaml:"backends" items:"URLs" doc:"Model servers, in order of preference: URLs, or entries with url, key and insecure. A URL that ends in /v1 speaks OpenAI, any other Ollama. Empty: the usual ports of this machine are searched."`

	// Which models there are, and how they are used.

	Model       string            `yaml:"model" doc:"Model for requests that name none. Empty: the best one found."`
	Tier        loci.Tier         `yaml:"tier" enum:"native,text,tiny" doc:"How tools are offered to every model. Empty: what probing the model says."`
	Window      int               `yaml:"window" min:"0" max:"10000000" doc:"Context length to ask Ollama for, in tokens. 0: the server's own."`
	Models      map[string]Model  `yaml:"models" doc:"What to know better of single models than probing them says: the model's name, then what holds for it. loci models probe shows what was found."`
	Passthrough []string          `yaml:"passthrough" items:"model names" doc:"Models that clients get bare, without tools and without loci's context."`
	Aliases     map[string]string `yaml:"aliases" doc:"Other names for models: alias, then model."`

	// What models are told.

	UserName       string           `yaml:"user_name" doc:"How to call you. Empty: the name of your account on this machine, unless that is nobody's, such as root."`
	TimeZone       string           `yaml:"time_zone" is:"zone" doc:"Time zone to tell models, such as Europe/Prague. Empty: this machine's."`
	SessionPurpose string           `yaml:"session_purpose" doc:"What your conversations are for, in a sentence that every new one starts with."`
	PromptProfile  string           `yaml:"prompt_profile" enum:"general,coding,writing" doc:"Style of the instructions to the model."`
	PromptTexts    map[string]Texts `yaml:"prompt_texts" key:"family" doc:"Instructions of your own for a model family: its name, such as qwen2, then what to replace."`
	ClientSystem   string           `yaml:"client_system" enum:"keep,replace" doc:"What to do with a chat client's own system message: keep it as a section of loci's, or replace it."`

	// What chat clients ask for besides the conversation.

	ClientJobs string `yaml:"client_jobs" enum:"auto,model,short" doc:"How to answer what chat UIs ask for by themselves, such as a title or tags: with a call of the model, or in short by loci. auto: in short where a call would push the conversation out of the model server's cache and cannot be made at its end, and for tiny models."`
	WarmUp     bool   `yaml:"warm_up" doc:"Whether the model server reads what every new conversation begins with as soon as loci has started, so that the first answer comes sooner: where it runs on this machine and has the model loaded, and only as long as nobody waits. And whether, for a tiny model, what requests are compared with is embedded then. Also whether loci's own model keeps its prompt cache in a file between two runs."`
	OpenWebUI  string `yaml:"open_webui" enum:"auto,on,off" doc:"Whether clients are Open WebUI, which can show what loci is doing. auto: those are that send one of its headers."`

	// What may be looked into, and by whose conversations.

	Folders         []Folder          `yaml:"folders" env:"LOCI_ALLOW" items:"paths" doc:"Folders that models may look into, and change files in after your yes to each change: absolute paths or ~. The flag --allow adds to them; the variable takes a list like PATH and replaces them. A change here counts within a second, also while loci runs."`
	UnaskedCommands []string          `yaml:"unasked_commands" items:"commands" doc:"Commands that run without a question, by the words they begin with, such as git log. It has to be known of all that follows that it only reads; anything else asks, and so does everything once a conversation has read from outside."`
	DeniedCommands  []string          `yaml:"denied_commands" items:"commands" doc:"Commands that never run, whoever agrees, by the words they begin with, such as git push."`
	Taint           string            `yaml:"taint" enum:"strict,relaxed" doc:"What a conversation that has read from outside (the web, mail, files of others) asks again: all that leaves this machine, runs a program or cannot be taken back (strict), or not where your own words name where it goes (relaxed)."`
	WorkingFolder   string            `yaml:"working_folder" is:"path" doc:"Where relative paths start. Empty: the first of the folders. With --allow it is the first folder given there."`
	Principals      map[string]Rights `yaml:"principals" key:"person" doc:"Rights of others. For chat servers that say who is asking: the forwarded id or e-mail address, then rights; for a key that was made: key:NAME, then rights. Without an entry they may only chat."`

	// What may be reached besides, after your yes where something changes.

	Databases map[string]Database `yaml:"databases" doc:"PostgreSQL databases that query_db may read, by the names that you call them; SQLite files need no entry. What they give counts as read from outside."`
	Apps      map[string]App      `yaml:"apps" doc:"Applications that open_app may start, by the names that you call them."`

	// Limits.

	MaxSteps   int    `yaml:"max_steps" min:"1" max:"1000" doc:"Model calls in one turn; after that the answer is what was found so far."`
	Limits     Limits `yaml:"limits"`
	KeptRounds int    `yaml:"kept_rounds" min:"1" max:"1000" doc:"When the model's window is full, the oldest rounds of a conversation are left out, in one large step; at most this many stay."`
	// UsableShare is percent.
	UsableShare int      `yaml:"usable_share" min:"0" max:"75" doc:"Percent of a model's window that a conversation may fill before old parts are shortened or left out; a quarter always stays free for the reply. 0: half for models up to 8 billion weights, else three quarters. See docs/window.md."`
	LongResults string   `yaml:"long_results" enum:"auto,digest,cut" doc:"What becomes of a tool's result that is too long for the model's window. cut: it begins, and the model reads on if it wants to. digest: the model first reads all of it in parts, apart from the conversation, and keeps what matters for your question; it can still read the original. auto: digest where the model is not known to have 1.25 billion weights or less and the reading is predicted to be done within timeouts.digest, else cut. See docs/window.md."`
	Timeouts    Timeouts `yaml:"timeouts"`

	// Files.

	DataPath  string `yaml:"data_path" is:"path" doc:"Folder of the database and of fetched models. Empty: the system's place for such data."`
	StatePath string `yaml:"state_path" is:"path" doc:"Folder of the log and of what belongs to a running loci. Empty: the system's place for it."`
	Log       Log    `yaml:"log"`

	// Doors that are closed otherwise.

	AllowedHosts   []string `yaml:"allowed_hosts" is:"host" items:"host names" doc:"Names, besides this machine's own, under which browsers and clients may reach loci."`
	AllowedOrigins []string `yaml:"allowed_origins" is:"origin" items:"origins" doc:"Web pages of other origins that may call loci, such as https://chat.example."`

	Embedded Embedded `yaml:"embedded"`
}

// Model is what a person knows better of a model than trials and its server say. An
// empty field leaves that as it was found.
type Model struct {
	Tier         loci.Tier    `yaml:"tier" enum:"native,text,tiny" doc:"How tools are offered to it."`
	Dialect      loci.Markup  `yaml:"dialect" enum:"tool,tool_call,json,react" doc:"How it is taught to write calls as text, in the text tier; see models.md."`
	Window       int          `yaml:"window" min:"0" max:"10000000" doc:"Its context length in tokens, which Ollama is asked for. 0: what the server says."`
	Think        string       `yaml:"think" enum:"on,off" doc:"Whether to ask it to think first, where the client does not say."`
	Languages    []string     `yaml:"languages" items:"tags such as en and zh" doc:"Languages that it can talk in. Empty: all, but for models whose makers say that they know English only."`
	Stops        []string     `yaml:"stops" items:"texts" doc:"Stop sequences for every call of it."`
	Stopping     loci.Finding `yaml:"stopping" enum:"yes,no" doc:"Whether its server ends a reply at stop sequences."`
	Constrain    loci.Finding `yaml:"constrain" enum:"yes,no" doc:"Whether its server can hold a reply to a JSON schema."`
	Choice       loci.Finding `yaml:"choice" enum:"yes,no" doc:"Whether its server makes it call the tool that a request names (tool_choice)."`
	System       loci.Finding `yaml:"system" enum:"yes,no" doc:"Whether it takes a system message. Without, what that says goes into the first message."`
	SecondSystem loci.Finding `yaml:"second_system" enum:"yes,no" doc:"Whether it takes system messages later on too."`
	Alternate    loci.Finding `yaml:"alternate" enum:"yes,no" doc:"Whether it demands that user and assistant take turns."`
}

// Timeouts are the waits of which each ends with an error of its own. There is
// none for a whole generation: a slow model is not a broken one.
type Timeouts struct {
	Connect   time.Duration `yaml:"connect" doc:"Wait for a model server to accept a connection."`
	FirstByte time.Duration `yaml:"first_byte" doc:"Wait for the first byte of a reply."`
	Idle      time.Duration `yaml:"idle" doc:"Wait for the next piece of a reply that has begun."`
	Tool      time.Duration `yaml:"tool" doc:"Time a tool may take, where it has no limit of its own."`
	Answer    time.Duration `yaml:"answer" doc:"Wait for your yes or no; silence is a no."`
	Digest    time.Duration `yaml:"digest" doc:"Longest that the model is predicted to read a result that is too long for its window; see long_results. At twice that it is cut short."`
}

// TLS says how to encrypt what goes to clients.
type TLS struct {
	Kind string `yaml:"kind" short:"true" enum:"self" doc:"self: encrypt, with a certificate that loci makes for itself and whose fingerprint it shows; tls: self says the same. Empty: with the files in cert and key, if they are set."`
	Cert string `yaml:"cert" is:"path" doc:"Certificate chain in PEM. It is read again when it changes."`
	Key  string `yaml:"key" is:"path" doc:"Its private key in PEM."`
}

// On tells whether anything is encrypted.
func (t TLS) On() bool { return t != TLS{} }

// Limits are how much clients may ask. More than that is refused for a moment, with
// the time to wait.
type Limits struct {
	KeyRate int `yaml:"key_rate" min:"1" max:"1000000" doc:"Requests a second with each key that was made with loci keys add, and of each forwarded user; ten seconds' worth may come at once."`
	OwnRate int `yaml:"own_rate" min:"1" max:"1000000" doc:"The same for the owner's key and the chat key."`
}

// Log says what is logged, and where to. There is no level at which keys are.
type Log struct {
	Level string `yaml:"level" enum:"debug,info,warn,error" doc:"Least important kind of message to log. Only debug logs what was said."`
	File  string `yaml:"file" is:"path" doc:"File to log into. Empty: the standard error output."`
}

// Embedded is the model server that loci fetches and runs when there is none.
type Embedded struct {
	Enabled bool `yaml:"enabled" doc:"Fetch and run a small model where no model server is found."`
	Window  int  `yaml:"window" min:"512" max:"1000000" doc:"Its context length in tokens."`
	Threads int  `yaml:"threads" min:"0" max:"4096" doc:"Processor threads for it. 0: as many as the machine has cores."`
}

// Backend is a model server.
type Backend struct {
	URL string `yaml:"url" short:"true" is:"url" doc:"Base URL."`
	Key Secret `yaml:"key" doc:"Key that the server asks for, or where it is: secret:NAME, env:NAME, file:PATH or cmd:PROGRAM."`
	// Insecure is for a server on another machine whose URL begins with http.
	Insecure bool `yaml:"insecure" doc:"Send it everything without encryption, although it is on another machine."`
}

// Folder is a place that models may look into, with what they may do there.
type Folder struct {
	Path    string `yaml:"path" short:"true" is:"path" doc:"Absolute path, or one that starts with ~."`
	Access  string `yaml:"access" enum:"read,ask,write,never" doc:"What may be done there and below: only looking (read), changes after your yes to each (ask, the usual), changes unasked (write), or nothing at all (never). Of folders in each other the inner one counts."`
	Outside bool   `yaml:"outside" doc:"What is in there comes from others, such as downloads. A conversation that has read it asks again before anything leaves this machine or cannot be taken back."`
}

// Database is a PostgreSQL database.
type Database struct {
	URL      Secret `yaml:"url" short:"true" doc:"Address, such as postgres://user:password@host/name, or where it is: secret:NAME, env:NAME, file:PATH or cmd:PROGRAM. Beyond this machine it is encrypted; add sslmode=verify-full to check the server as well."`
	Writable bool   `yaml:"writable" doc:"Rows may be changed, after your yes to each change."`
}

// App is an application.
type App struct {
	Command []string `yaml:"command" items:"arguments" doc:"Program and arguments; a file to open comes after them."`
	URLs    bool     `yaml:"urls" doc:"Web addresses may be opened with it too."`
}

// Closed tells whether nobody may look into the folder.
func (f Folder) Closed() bool { return f.Access == "never" }

// Texts are what is told to models of one family in place of loci's own words.
// An empty one replaces nothing.
type Texts struct {
	Role         string `yaml:"role" doc:"Who the model is."`
	Style        string `yaml:"style" doc:"How it should write; set by the prompt profile."`
	Rules        string `yaml:"rules" doc:"The rules, the first one wins."`
	Formats      string `yaml:"formats" doc:"The form of each kind of answer."`
	KeyRule      string `yaml:"key_rule" doc:"The most important instruction; it comes last."`
	KeyRuleFirst bool   `yaml:"key_rule_first" doc:"Say the key rule at the top as well, for families that drift."`
	Tiny         string `yaml:"tiny" doc:"The whole block for models that are too small for rules."`
}

// Rights are what a person who is not the owner has besides chat.
type Rights struct {
	Folders []Folder `yaml:"folders" items:"paths" doc:"Folders that this person's conversations may look into."`
}

// Default is the configuration of a person who has set nothing.
func Default() Config {
	return Config{
		Version:       Version,
		Listen:        "127.0.0.1:5624", // L-O-C-I on a telephone
		PromptProfile: "general",
		ClientSystem:  "keep",
		ClientJobs:    "auto",
		LongResults:   "auto",
		WarmUp:        true,
		OpenWebUI:     "auto",
		Taint:         "strict",
		MaxSteps:      12,
		KeptRounds:    4,
		Limits:        Limits{KeyRate: 50, OwnRate: 2000},
		Timeouts: Timeouts{
			Connect:   5 * time.Second,
			FirstByte: 120 * time.Second,
			Idle:      60 * time.Second,
			Tool:      60 * time.Second,
			Answer:    5 * time.Minute,
			Digest:    30 * time.Second,
		},
		Log:      Log{Level: "info"},
		Embedded: Embedded{Enabled: true, Window: 8192},
	}
}
