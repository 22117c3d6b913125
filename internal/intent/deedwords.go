package intent

import "strings"

// The words by which an order for a deed is told from a request for words. The verbs that
// ask for words, for thought or for company can be listed; what else begins like an order
// is one.

// wordSet makes a set of words.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// wordVerbs begin requests for words, for thought or for company, and what people say
// of themselves without saying I.
var wordVerbs = wordSet(`
	write tell explain translate suggest list name describe compare summarize summarise sum rewrite rephrase reword paraphrase define spell
	say repeat answer ask finish continue complete go carry think come brainstorm invent compose draft outline sketch recite sing rap rhyme teach show give
	help imagine pretend suppose assume consider picture keep be act talk speak chat discuss debate argue convince persuade entertain cheer comfort
	console motivate encourage inspire wish congratulate roast compliment praise insult flatter quiz test guess choose pick decide rank rate judge
	evaluate analyse analyze critique review proofread correct improve polish simplify shorten lengthen condense expand elaborate clarify interpret
	recommend advise propose estimate solve prove count plan mention note quote cite role-play roleplay impersonate imitate mimic narrate
	stop wait hold relax calm breathe stay look see listen hear read watch notice remember forget try use take trust believe forgive excuse pardon
	accept admit agree apologise apologize enjoy sleep rest smile laugh dream hope love hate like miss need want feel know mean seem wonder
	bless thank welcome meet mind prefer doubt swear promise beware follow play improvise have get let lets lie surprise amaze impress
	refute justify defend contrast distinguish differentiate classify categorise categorize conjugate pronounce identify prepare create generate design build
	find make start begin introduce present express state reply respond react elucidate enumerate exemplify illustrate formulate phrase word
	convert calculate compute cut end stick trade adopt assess concentrate focus reflect meditate appreciate respect remind reconsider rethink retell
	point figure sort work spill lead guide coach serve criticise criticize grade exist survive live die grow become remain appear learn study understand realise realize wake bear put turn add remove replace shut leave
`)

// worldVerbs are deeds whatever their object is, be it a bare word, as long as it is no text.
var worldVerbs = wordSet(`
	contact buy pay purchase install uninstall reinstall upgrade download upload reboot restart unlock disable enable activate deactivate connect disconnect
	pair mute unmute reserve rent hire cancel transfer sell invite deploy subscribe unsubscribe navigate paste sync synchronise synchronize eject defragment
	order deliver ship boil bake fry mow vacuum hoover sweep minimise minimize maximise maximize close lower raise increase decrease dim brighten dial
	donate withdraw deposit refund renew fax screenshot photograph unplug plug refill unpack wrap fetch drive clean wash iron fold tidy
	feed bring send tweet dm email charge lock backup reset hack enlarge unmount mount logout login lend borrow enrol enroll reschedule
	tap swipe scroll click press type bid apply register vote dispatch forward photocopy reheat rinse unload launch eat
	cook grill microwave preheat heat cool arm disarm ban unfriend unfollow retweet repost livestream stream broadcast update
`)

// nounVerbs are deeds before somebody's name, a number or a word that begins an object;
// otherwise they are nouns as often.
var nounVerbs = wordSet(`
	accept follow post mail call phone ring text message book print share record scan format open launch turn switch log sign shut start run walk water paint park
	empty clear fix repair check do put set move take get find make drop throw push pull press click type kill stop skip change adjust
	join visit pick add remove replace copy paste save store host mark flag block report sponsor bookmark pin charge end let prepare wake leave play eat draw keep
`)

// objectWords begin an object: with one of them behind it, nearly any word is a verb.
var objectWords = wordSet(`the my our a an all every both some any another this these those that his her their two three four five one`)

// people are called without an article.
var people = wordSet(`mum mom mama mummy dad daddy papa mother father grandma grandpa granny grandmother grandfather sister brother aunt uncle everyone everybody someone somebody
	police emergency 911 112 999 reception security support customer home`)

// particles make an order of verbs that are none by themselves.
var particles = wordSet(`on off up down in out back away over left right around`)

// particleVerbs are those verbs.
var particleVerbs = wordSet(`turn switch shut log sign put power plug set hang pick clean wash lock zoom crank fire boot back top roll pull bring take check hook scroll fill swipe paste drop let pay sit stand`)

// towards make an order of verbs that something else may follow: switch to, apply for.
var towards = wordSet(`apply register vote switch scan log connect subscribe reply enrol enroll respond`)

// outWorld are places that words do not reach, whatever is asked about them.
var outWorld = wordSet(`online github gitlab amazon ebay youtube facebook instagram twitter tiktok linkedin whatsapp telegram slack netflix spotify paypal airbnb uber screen phone printer cloud calendar account fridge garage`)

// outVerbs are those verbs that ask for words, but not out there.
var outVerbs = wordSet(`play follow like watch find search look join make put start get stop add remove share set change leave go`)

// noVerbs are words that begin no order, though an object may be behind them.
var noVerbs = wordSet(`
	in on at by for with from to of as than about after before during until till since while when whenever if because so but and or nor yet not no yes never always
	often sometimes only just even still also too very quite rather such what whats what's which who who's whose whom where where's why how how's is are was were am been being does did
	has had will would can could should may might must shall there here it it's its he she they we i you i'm you're we're they're he's she's that's there's i've i'd i'll your yours mine
	many much more most less few several half once twice maybe perhaps despite without within into onto upon under between through across against among around behind
	beside besides beyond inside outside near off out up down via per plus minus except unless though although whereas whether either neither nothing everything
	today tomorrow yesterday tonight now then finally suddenly ok okay well hey hi hello wow oh ah um lol haha thanks yeah nope sure again please the my our a an all every both some any another this these those
	that his her their one two three four five same different happy sad good bad great nice cool fun funny best worst first last next other like
	definitely actually basically honestly literally probably apparently obviously unfortunately luckily ideally meanwhile instead otherwise however therefore hence thus lest
	don't dont doesn't didn't can't cannot won't isn't aren't wasn't let's ain't versus vs regarding concerning considering given based according due unlike alongside amid
	same-day anyone anybody someone somebody everyone everybody bought sold lost found got went saw came took gave made said told thought knew felt ate drank broke
	spent sent won ran met paid built caught taught fought brought drove wrote spoke stole wore threw grew fell woke chose forgot hid began sang swam
`)

// wordThings are made of words: who asks for something about one of them wants words.
var wordThings = wordSet(`
	word words sentence sentences text texts paragraph paragraphs poem poems story stories tale tales joke jokes riddle riddles pun puns song songs lyrics
	verse verses haiku limerick essay essays letter speech speeches toast article headline headlines title titles slogan slogans caption captions line lines
	tone topic subject style ending plot character characters chapter scene dialogue dialog script answer answers reply replies response responses
	question questions idea ideas list lists example examples reason reasons argument arguments explanation definition meaning synonym synonyms antonym antonyms
	rhyme rhymes grammar spelling punctuation translation summary summaries bullet bullets recipe recipes advice tip tips hint hints fact facts quote quotes
	name names nickname metaphor metaphors analogy comparison difference differences pros cons recommendation recommendations suggestion suggestions
	opinion opinions thought thoughts guess game quiz trivia conversation discussion debate interview lesson english french german spanish italian
	detail details version draft wording phrase phrases adjective adjectives verb verbs noun nouns email e-mail message cv resume
	sentence's point points impression impersonation accent role voice-over rap ballad sonnet fairy-tale fairytale fable myth legend anecdote love
	math maths equation code function program algorithm outline plan schedule itinerary assumption assumptions conclusion introduction intro
	joy compliments compliment vibes spirits spirit mind ear ears heart soul imagination adventure journey magic charm beans wisdom knowledge hope energy confidence
	motivation stress feelings worries worry boredom curiosity horizons ego memory memories courage happiness peace comfort company attention patience trust truth lie lies
	wish wishes deal bet decision choice prediction predictions acronym mnemonic twister crossword palindrome statement remark comment comments rating ranking
	anagram chart diagram timeline hypothesis theory proposal syllabus curriculum workout routine diet menu checklist resolutions mistake mistakes exception fool mess sense
	noise millionaire person man woman believer better worse bio biography description profile logo-idea motto tagline chant prayer spell spells monologue sketch play review
	goal goals world pattern patterns career priorities boundaries
	secret secrets future past dream dreams lifetime thinking reasoning understanding skills skill vocabulary pronunciation
	fun smile laugh chance favour favor break look try shot hug kiss hand vibe mood humour humor sarcasm emoji emojis club case same
`)

// madeThings are made, taken, found or set in the world and not in words.
var madeThings = wordSet(`
	page account request invitation episode form airport station donation purchase deposit transfer transaction user tickets ticket coffee tea sandwich dinner lunch breakfast meal reservation appointment booking call calls payment bed cake screenshot screenshots photo photos selfie snapshot picture video
	bath shower dog dogs cat cats kids kid baby puppy plants flowers grass lawn snow dust food snack pancakes taxi cab uber ride flight flights hotel beer bin trash rubbish garbage bins kettle volume brightness wallpaper background alarm heating thermostat temperature lamp light lights tv
	television radio fan oven heater dishes laundry dishwasher washing machine car engine server website meeting wifi wi-fi bluetooth password ringtone bid order
	computer laptop phone printer router shopping groceries taxes door doors window windows table microphone camera screen battery cup mug oil tyre tire tyres tires
	resolution keyboard language-settings theme airplane mode table-lamp music milk water bread pizza money email-account
`)
