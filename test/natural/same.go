package natural

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"loci"
	"loci/internal/toolkit/arith"
)

// same tells whether a value of an argument means what is wanted: two paths the same
// file, two expressions the same number, two statements the same rows.
func (j *Judge) same(ctx context.Context, name string, want, got any) bool {
	switch want {
	case "*":
		return true
	case "+":
		return !empty(got)
	case nil, "":
		if empty(got) {
			return true
		}
	}
	w, isText := want.(string)
	g, gotText := got.(string)
	if !isText || !gotText {
		return !isText && want != nil && reflect.DeepEqual(want, got)
	}
	switch name {
	case "path", "source", "destination", "database", "dir", "target":
		return j.place(w) == j.place(g)
	case "expression":
		return sameNumber(w, g)
	case "query":
		return folded(w) == folded(g) || j.rows(ctx, w) != "" && j.rows(ctx, w) == j.rows(ctx, g)
	case "date", "modified_after", "modified_before":
		return j.day(w) == j.day(g)
	case "zone":
		return city(w) == city(g)
	case "content", "new_text", "old_text":
		return strings.TrimRight(w, "\n ") == strings.TrimRight(g, "\n ") || strings.EqualFold(w, g)
	}
	return strings.EqualFold(strings.TrimSpace(w), strings.TrimSpace(g))
}

// place is a path as it would be opened.
func (j *Judge) place(path string) string {
	path = strings.TrimPrefix(path, "~/")
	if !filepath.IsAbs(path) {
		path = filepath.Join(j.dir, path)
	}
	return filepath.Clean(path)
}

// sameNumber tells whether two expressions come to the same, to a thousandth.
func sameNumber(want, got string) bool {
	w, err1 := arith.Eval(want)
	g, err2 := arith.Eval(got)
	if err1 != nil || err2 != nil {
		return false
	}
	a, err1 := strconv.ParseFloat(w.Value, 64)
	b, err2 := strconv.ParseFloat(g.Value, 64)
	return err1 == nil && err2 == nil && math.Abs(a-b) <= 1e-3*math.Max(math.Abs(a), 1e-9)
}

// folded is a statement without what does not count in it.
func folded(query string) string {
	return strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(query), " "), "; "))
}

// rows is what a statement gives on the scene's database; empty when it fails.
func (j *Judge) rows(ctx context.Context, query string) string {
	raw, err := json.Marshal(map[string]any{"database": "shop.db", "query": query})
	if err != nil || query == "" {
		return ""
	}
	r := j.set.Call(ctx, scope(j.dir), loci.ToolCall{Name: "query_db", Arguments: raw}, nil)
	var found struct{ Rows json.RawMessage }
	if r.Err != nil || json.Unmarshal(r.Data, &found) != nil {
		return ""
	}
	return string(found.Rows)
}

var relative = regexp.MustCompile(`^@?([+-]?\d{1,5})$`)

// day is a date; "@3", "+3" and "3" are three days from today.
func (j *Judge) day(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	days := map[string]int{"today": 0, "yesterday": -1, "tomorrow": 1}
	n, named := days[s]
	if m := relative.FindStringSubmatch(s); m != nil {
		var err error
		if n, err = strconv.Atoi(m[1]); err != nil {
			return s
		}
		named = true
	}
	if named {
		return j.now.AddDate(0, 0, n).Format(time.DateOnly)
	}
	return s
}

// city is a zone without the region before the city.
func city(zone string) string {
	zone = zone[strings.LastIndexByte(zone, '/')+1:]
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(zone), "_", " "))
}

// subjects are the words by which a reply shows that it knows which tool is meant,
// where the tool itself is still to come: in English, Chinese and Czech.
var subjects = map[string]*regexp.Regexp{
	"read_document":    regexp.MustCompile(`(?i)\bpdfs?\b|\bdocx\b|documents? (?:that|which|such)|word documents?|文档|dokument`),
	"fetch_url":        regexp.MustCompile(`(?i)\bweb\b|internet|web ?(?:page|site)|fetch_url|网页|互联网|stránk|webu?\b`),
	"http_request":     regexp.MustCompile(`(?i)\bweb\b|internet|\bhttp\b|requests?\b|http_request|网络|互联网|webu?\b`),
	"read_feed":        regexp.MustCompile(`(?i)\bfeeds?\b|\bnews\b|\bweb\b|internet|read_feed|订阅|互联网|zpráv|webu?\b`),
	"send_email":       regexp.MustCompile(`(?i)\be-?mails?\b|\bmail\b|邮件|mail|poštu`),
	"read_email":       regexp.MustCompile(`(?i)\be-?mails?\b|\bmail\b|邮件|mail|poštu`),
	"notion_*":         regexp.MustCompile(`(?i)notion`),
	"weather":          regexp.MustCompile(`(?i)weather|forecast|天气|počas`),
	"stock":            regexp.MustCompile(`(?i)\bstocks?\b|\bshares?\b|\bprices\b|股|akci|burz`),
	"remember":         regexp.MustCompile(`(?i)remember|memory|keep in mind|记住|记忆|pamat|pamět`),
	"recall":           regexp.MustCompile(`(?i)remember|memory|recall|记住|记忆|pamat|pamět`),
	"forget":           regexp.MustCompile(`(?i)remember|memory|forget|记住|忘|pamat|pamět|zapom`),
	"search_documents": regexp.MustCompile(`(?i)search_documents|documents?\b|文档|dokument`),
	"schedule_*":       regexp.MustCompile(`(?i)remind|alarm|schedul|timer|提醒|闹钟|日程|připom|budí|plán`),
}

// speaksOf tells whether a fixed reply is about a tool that is still to come.
func speaksOf(tool, said string) bool {
	subject := subjects[tool]
	return subject != nil && subject.MatchString(said)
}
