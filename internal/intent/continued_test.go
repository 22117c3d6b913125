package intent_test

import (
	"strings"
	"testing"

	"loci"
	"loci/internal/approval"
	"loci/internal/intent"
	"loci/internal/lang"
)

// TestAfterRefusal goes on from a change that the person said no to, or that was
// not asked for again.
func TestAfterRefusal(t *testing.T) {
	for _, tc := range []struct {
		asked, tag string
		refusal    func(tool, tag string) approval.Refusal
		text, want string
	}{
		{`write "one" to n1.txt`, lang.English, approval.Declined, "and two", "I have done nothing now"},
		{`write "one" to n1.txt`, lang.English, approval.Declined, "is it saved?", "All that I did"},
		{`write "one" to n1.txt`, lang.English, approval.Expired, "is it saved?", "All that I did"},
		{`write "one" to n1.txt`, lang.English, approval.NotNow, "mango", "I have done nothing now"},
		{"delete notes.md", lang.English, approval.Declined, "did you delete it?", "All that I did"},
		{"replace one with eins in b.txt", lang.English, approval.Withdrawn, "and three with drei", "I have done nothing now"},
		{"count yesterday's ERROR lines per module in logs/, sort them, write report.md", lang.English, approval.Declined, "ok then write it to x.md", "no text to keep"},
		{"count yesterday's ERROR lines per module in logs/, sort them, write report.md", lang.English, approval.Declined, "now for WARN", "I have done nothing now"},
		{`zapiš "ahoj" do n1.txt`, lang.Czech, approval.Declined, "ulož to do x.md", "není text k uložení"},
		{`zapiš "ahoj" do n1.txt`, lang.Czech, approval.Declined, "a ještě nazdar", "Teď jsem nic neudělal"},
		{`把 "你好" 写入 n1.txt`, lang.Chinese, approval.Declined, `再加上 "再见"`, "我现在什么也没有做"},
		{`把 "你好" 写入 n1.txt`, lang.Chinese, approval.Declined, "把它保存到 x.md", "不是可以保存的内容"},
	} {
		said := []loci.Message{{Role: loci.User, Content: tc.asked}, {Role: loci.Assistant, Content: tc.refusal("write_file", tc.tag).Text}}
		m, err := intent.New(intent.Config{}).Next(t.Context(), loci.Situation{Text: tc.text, History: said, Lang: lang.Of(tc.text), Tools: specsOf(everything()), Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(m.Say, tc.want) {
			t.Errorf("%q after %q: %+v, want %q", tc.text, said[1].Content, m, tc.want)
		}
	}
}
