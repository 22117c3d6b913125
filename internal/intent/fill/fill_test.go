package fill_test

import (
	"encoding/json"
	"strings"
	"testing"

	"loci/internal/intent/fill"
)

func TestFill(t *testing.T) {
	for _, tc := range []struct{ words, schema, want string }{
		{"a box of width 3 and height 5", `width:integer height:integer`, `{"height":5,"width":3}`},
		{"a box of height 5 and width 3", `width:integer height:integer`, `{"height":5,"width":3}`},
		{"multiply 4 by 2.5", `a:number b:number`, `{"a":4,"b":2.5}`},
		{"solve it for a=2, b=-6 and c=5", `a:integer b:integer c:integer`, `{"a":2,"b":-6,"c":5}`},
		{"$1,200 at 8% for 5 years", `amount:integer rate:number years:integer`, `{"amount":1200,"rate":0.08,"years":5}`},
		{"three nights in Porto", `city:string nights:integer`, `{"city":"Porto","nights":3}`},
		{"a flight from New York to Los Angeles", `origin:string destination:string`, `{"destination":"Los Angeles","origin":"New York"}`},
		{"a flight to Los Angeles from New York", `origin:string destination:string`, `{"destination":"Los Angeles","origin":"New York"}`},
		{"the weather in San Jose, CA", `location:string`, `{"location":"San Jose, CA"}`},
		{"events on 2026-12-24 in Brno", `city:string date:string`, `{"city":"Brno","date":"2026-12-24"}`},
		{`say "good night" to the neighbours`, `text:string`, `{"text":"good night"}`},
		{"the mean of [3, 4, 5.5]", `numbers:array/number`, `{"numbers":[3,4,5.5]}`},
		{"the mean of 3, 4 and 5.5", `numbers:array/number`, `{"numbers":[3,4,5.5]}`},
		{"a contract between John and Alice", `parties:array/string`, `{"parties":["John","Alice"]}`},
		{"sort the list in descending order", `order:string=ascending|descending`, `{"order":"descending"}`},
		{"restaurants with parking in Rome", `city:string parking?:boolean pets?:boolean`, `{"city":"Rome","parking":true}`},
		{"restaurants without parking in Rome", `city:string parking?:boolean`, `{"city":"Rome","parking":false}`},
		{"the weather in Rome", `city:string days?:integer unit?:string=C|F`, `{"city":"Rome"}`},
		{"a flight on May 5 to Rome", `to:string date:string`, `{"date":"May 5","to":"Rome"}`},
		{"write to ann@example.org saying that the build is green", `email:string body:string`, `{"body":"the build is green","email":"ann@example.org"}`},
		{"an event called Team lunch on Friday", `title:string`, `{"title":"Team lunch"}`},
		{"forget the note about Anna", `note_id:string`, ``},
		{"forget note A-17", `noteId:string`, `{"noteId":"A-17"}`},
		{"GET https://example.org/a with header Accept", `url:string`, `{"url":"https://example.org/a"}`},
		{"search the web for best pizza in Naples, 3 results", `query:string count?:integer`, `{"query":"best pizza in Naples"}`},
		{"news about Formula 1", `topic:string`, `{"topic":"Formula 1"}`},
		{"the weather in boston", `city:string`, `{"city":"boston"}`},
		{"find recipes with pumpkin", `ingredient:string`, `{"ingredient":"pumpkin"}`},
		{"cancel order 90210", `order_id:string`, `{"order_id":"90210"}`},
		{"50 GBP in USD", `amount:number from_currency:string to_currency:string`, `{"amount":50,"from_currency":"GBP","to_currency":"USD"}`},
		{"an event called Team lunch on Friday", `title:string date:string`, `{"date":"Friday","title":"Team lunch"}`},
		{"tell #random saying good morning all", `channel:string message:string`, `{"channel":"#random","message":"good morning all"}`},
		{"minus 5 degrees", `t:number`, `{"t":-5}`},
		{"set it to negative five", `t:integer`, `{"t":-5}`},
		{"set it to −7.5", `t:number`, `{"t":-7.5}`},
		{"10 minus 5", `a:number b:number`, `{"a":10,"b":5}`},
		{"from minus 3 to 4", `a:number b:number`, `{"a":-3,"b":4}`},
		{"twenty one", `n:integer`, `{"n":21}`},
		{"twenty-one steps", `n:integer`, `{"n":21}`},
		{"two hundred and five", `n:integer`, `{"n":205}`},
		{"two thousand three hundred and forty-six", `n:integer`, `{"n":2346}`},
		{"one million two hundred thousand", `n:integer`, `{"n":1200000}`},
		{"a hundred", `n:integer`, `{"n":100}`},
		{"two dozen", `n:integer`, `{"n":24}`},
		{"two and three", `a:integer b:integer`, `{"a":2,"b":3}`},
		{"two three", `a:integer b:integer`, `{"a":2,"b":3}`},
		{"1,5 million", `n:number`, `{"n":1500000}`},
		{"1.1 billion", `n:number`, `{"n":1100000000}`},
		{"1,500", `n:number`, `{"n":1500}`},
		{"5k", `n:number`, `{"n":5000}`},
		{"zero", `n:integer`, `{"n":0}`},
		{"to a@b.cz saying hi", `email:string body:string`, `{"body":"hi","email":"a@b.cz"}`},
		{"to a@b.cz with body: I will be late, sorry", `email:string body:string`, `{"body":"I will be late, sorry","email":"a@b.cz"}`},
		{"to a@b.cz with the body See you at noon", `email:string body:string`, `{"body":"See you at noon","email":"a@b.cz"}`},
		{"to a@b.cz with subject Lunch today and body Are you free", `email:string subject:string body:string`, `{"body":"Are you free","email":"a@b.cz","subject":"Lunch today"}`},
		{"to a@b.cz with body Hi. All is well; bye and subject: News", `email:string subject:string body:string`, `{"body":"Hi. All is well; bye","email":"a@b.cz","subject":"News"}`},
		{"send an email to a@b.cz", `email:string body:string`, ``},
		{"the account of anna", `user:string`, `{"user":"anna"}`},
		{"the weather", `city:string`, ``},
		{"multiply 4", `a:number b:number`, ``},
		{"a box of 2.5", `size:integer`, ``},
		{"hello", ``, `{}`},
	} {
		filled := fill.Fill(tc.words, "", schema(tc.schema))
		got := ""
		if filled.Whole() {
			raw, err := json.Marshal(filled.Args)
			if err != nil {
				t.Fatal(err)
			}
			got = string(raw)
		}
		if got != tc.want {
			t.Errorf("%q for %s: %s, want %s", tc.words, tc.schema, got, tc.want)
		}
	}
}

// schema writes a schema out: "name:type", ? for what may be left out, /type for what
// is listed, =a|b for the only values.
func schema(short string) json.RawMessage {
	var properties, required []string
	for p := range strings.FieldsSeq(short) {
		p, enum, _ := strings.Cut(p, "=")
		name, kind, _ := strings.Cut(p, ":")
		kind, item, isList := strings.Cut(kind, "/")
		name, optional := strings.CutSuffix(name, "?")
		body := `"type":"` + kind + `"`
		if isList {
			body += `,"items":{"type":"` + item + `"}`
		}
		if enum != "" {
			body += `,"enum":["` + strings.ReplaceAll(enum, "|", `","`) + `"]`
		}
		properties = append(properties, `"`+name+`":{`+body+`}`)
		if !optional {
			required = append(required, `"`+name+`"`)
		}
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]}`)
}

func TestFillObject(t *testing.T) {
	filled := fill.Fill("a point at latitude 50.1 and longitude 14.4", "", json.RawMessage(
		`{"type":"object","properties":{"point":{"type":"object","properties":{"latitude":{"type":["number","null"]},"longitude":{"type":"number"}},"required":["latitude","longitude"]}},"required":["point"]}`))
	raw, err := json.Marshal(filled.Args)
	if err != nil || !filled.Whole() || string(raw) != `{"point":{"latitude":50.1,"longitude":14.4}}` {
		t.Errorf("%s %v %v", raw, filled, err)
	}
}

// TestLeft has what nothing was taken from given back, and what is missing named.
func TestLeft(t *testing.T) {
	for _, tc := range []struct{ words, after, schema, args, missing, left string }{
		{"transfer 500 to Bob? no way", "!", `amount:number to:string`, `{"amount":500,"to":"Bob"}`, "", "transfer to no way"},
		{"say hi to Bob", "", `amount:number to:string`, `{"to":"Bob"}`, "amount", "say hi to"},
		{"a timer of 90s", "", `minutes:integer`, `{"minutes":90}`, "", "a timer of s"},
		{"the front or the back door", "", `door:string=front|back`, `{"door":"front"}`, "", "the or the back door"},
		{"tell Bob saying see you", "?!", `to:string message:string`, `{"message":"see you?!","to":"Bob"}`, "", "tell"},
		{"tell Bob saying see you", " please", `to:string message:string`, `{"message":"see you","to":"Bob"}`, "", "tell"},
		{"rooms without parking", "", `parking?:boolean`, `{"parking":false}`, "", "rooms"},
	} {
		f := fill.Fill(tc.words, tc.after, schema(tc.schema))
		raw, err := json.Marshal(f.Args)
		if err != nil || string(raw) != tc.args || strings.Join(f.Missing, " ") != tc.missing || strings.Join(f.Left, " ") != tc.left {
			t.Errorf("%q: %s, missing %v, left %v", tc.words, raw, f.Missing, f.Left)
		}
	}
}

func TestBadSchema(t *testing.T) {
	for _, bad := range []string{`{"properties":[]}`, `{"type":3}`, `nonsense`, `{"properties":{"a":{"type":{}}}}`} {
		if filled := fill.Fill("a is 3", "", json.RawMessage(bad)); filled.Whole() && len(filled.Args) > 0 {
			t.Errorf("%s: %v", bad, filled.Args)
		}
	}
}

// FuzzFill never panics, and what it gives can be written as JSON.
func FuzzFill(f *testing.F) {
	f.Add("a flight from New York, NY to \"Los Angeles\" on May 5, 2026 for 2 at 8%", string(schema("origin:string destination:string date?:string people:integer rate?:number tags?:array/string")))
	f.Add("[1, [2]] =", string(schema("a:array/number b?:string=x|y c?:boolean")))
	f.Add("x", `{"properties":{"x":{"type":"object","properties":{"x":{"type":["null"]}}}}}`)
	f.Fuzz(func(t *testing.T, words, schema string) {
		if len(words) > 2000 || len(schema) > 2000 {
			return
		}
		args := fill.Fill(words, "?", json.RawMessage(schema)).Args
		if _, err := json.Marshal(args); err != nil {
			t.Error(err)
		}
	})
}
