package intent_test

import (
	"testing"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/internal/tool"
)

// What other programs do is asked for in plain words; what only sounds like it is not
// done.
func TestPrograms(t *testing.T) {
	var tools []loci.ToolSpec
	set, err := tool.New(tool.Config{Tools: everything()})
	if err != nil {
		t.Fatal(err)
	}
	tools = set.Specs(loci.Scope{Principal: loci.Principal{Owner: true}})
	r := intent.New(intent.Config{})
	for text, want := range map[string]string{
		"Pause the music, please.":                           `media_control {"action":"pause"}`,
		"could you skip this song":                           `media_control {"action":"next"}`,
		"Play the next track":                                `media_control {"action":"next"}`,
		"turn the volume up":                                 `media_control {"action":"volume_up"}`,
		"Set the volume to 30%":                              `media_control {"action":"volume_set","volume":30}`,
		"stop the music":                                     `media_control {"action":"stop"}`,
		"暂停音乐":                                               `media_control {"action":"pause"}`,
		"请播放下一首歌。":                                           `media_control {"action":"next"}`,
		"Pozastav hudbu.":                                    `media_control {"action":"pause"}`,
		"Pusť další skladbu":                                 `media_control {"action":"next"}`,
		"Which tables are in shop.db?":                       `query_db {"database":"shop.db"}`,
		"show me the tables of ~/data/app.sqlite":            `query_db {"database":"~/data/app.sqlite"}`,
		"shop.db 数据库里有哪些表？":                                  `query_db {"database":"shop.db"}`,
		"Které tabulky jsou v databázi sklad.sqlite3?":       `query_db {"database":"sklad.sqlite3"}`,
		"Run SELECT count(*) FROM orders on shop.db":         `query_db {"database":"shop.db","query":"SELECT count(*) FROM orders"}`,
		"launch the app calculator":                          `open_app {"app":"calculator"}`,
		"Open notes.md with Gedit":                           `open_app {"app":"gedit","target":"notes.md"}`,
		"用 gedit 打开 notes.md":                                `open_app {"app":"gedit","target":"notes.md"}`,
		"Spusť aplikaci editor.":                             `open_app {"app":"editor"}`,
		"Pause the game for a moment and tell me about Rome": "",
		"What is the next song on the album?":                "",
		"Which tables should I buy for the kitchen?":         "",
		"set the table":                                      "",
		"With whom did Ann go to the market?":                "",
	} {
		m, err := r.Next(t.Context(), loci.Situation{Text: text, Lang: lang.Of(text), Tools: tools, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m.Call != nil {
			got = m.Call.Name + " " + string(m.Call.Arguments)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
