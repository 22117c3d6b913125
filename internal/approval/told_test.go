package approval

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/lang"
)

func TestTold(t *testing.T) {
	told := func(state loci.ApprovalState, tag string) string {
		return Told(loci.Approval{Code: "7F3", State: state, Expires: loci.Time{Time: time.Now().Add(time.Hour)}}, tag)
	}
	for _, tc := range []struct{ got, want string }{
		{told(loci.ApprovalExpired, "en"), "The question 7F3 has expired; nothing was done. Ask again if you still want it."},
		{told(loci.ApprovalExpired, "zh"), "问题 7F3 已过期，没有执行任何操作。如果仍然需要，请再说一次。"},
		{told(loci.ApprovalExpired, "cs"), "Otázka 7F3 vypršela, nic se nestalo. Pokud to stále chcete, řekněte si o to znovu."},
		{told(loci.ApprovalYes, "en"), "The question 7F3 already has its answer: yes."},
		{told(loci.ApprovalNo, "en"), "The question 7F3 already has its answer: no. Nothing was done. Ask again if you still want it."},
		{told(loci.ApprovalWithdrawn, "en"), "The question 7F3 no longer stands, because it was stopped or the conversation went on; nothing was done. Ask again if you still want it."},
		{told(loci.ApprovalUsed, "en"), "The yes to 7F3 was used already; nothing is done twice."},
		{told(loci.ApprovalOpen, "en"), "The question 7F3 is still open. Answer **yes 7F3** or **no 7F3**."},
		{told("nonsense", "en"), "There is no question 7F3."},
		{Unknown("7F9", []string{"7F3"}, "en"), "There is no question 7F9. Answer **yes 7F3** or **no 7F3**."},
		{Unknown("7F9", nil, "cs"), "Otázka 7F9 neexistuje."},
		{which([]string{"7F3", "8K2"}, "en"), "You have 2 open questions. Answer each with its code: **yes 7F3** or **no 7F3**; **yes 8K2** or **no 8K2**."},
		{which([]string{"7F3", "8K2"}, "zh"), "您有 2 个未回答的问题。请分别用代码回答：**是 7F3** 或 **否 7F3**；**是 8K2** 或 **否 8K2**。"},
		{which([]string{"7F3", "8K2"}, "cs"), "Máte 2 otevřené otázky. Na každou odpovězte jejím kódem: **ano 7F3** nebo **ne 7F3**; **ano 8K2** nebo **ne 8K2**."},
		{which([]string{"7F3"}, "en"), "You have 1 open question. Answer **yes 7F3** or **no 7F3**."},
		{Noted(Yes, []string{"7F3"}, nil, "en"), "Noted: yes 7F3."},
		{Noted(No, []string{"7F3"}, []string{"8K2"}, "en"), "Noted: no 7F3. Still open: 8K2. Answer **yes 8K2** or **no 8K2**."},
		{Noted(Yes, []string{"7F3"}, []string{"8K2"}, "zh"), "已记下：是 7F3。尚未回答：8K2。请回答 **是 8K2** 或 **否 8K2**。"},
		{Noted(Yes, []string{"7F3"}, []string{"8K2"}, "cs"), "Rozumím: ano 7F3. Ještě čeká: 8K2. Odpovězte **ano 8K2** nebo **ne 8K2**."},
	} {
		if tc.got != tc.want {
			t.Errorf("\n got %s\nwant %s", tc.got, tc.want)
		}
	}
}

// bold is what people are told to type.
var bold = regexp.MustCompile(`\*\*([^*` + "`" + `\n]+)\*\*`)

// TestTyped holds every answer that a person is told to type to what Read
// understands.
func TestTyped(t *testing.T) {
	one, two := asked("7F3", "write_file", `{"path":"a"}`, ""), asked("8K2", "write_file", `{"path":"b"}`, "")
	for _, tag := range []string{lang.English, lang.Chinese, lang.Czech} {
		for _, s := range []string{
			question(one, Reader{Lang: tag}), Questions([]loci.Approval{one, two}, Reader{Lang: tag}),
			which([]string{"7F3", "8K2"}, tag), Noted(Yes, []string{"4K9"}, []string{"7F3"}, tag),
		} {
			said := map[Verdict]int{}
			for _, m := range bold.FindAllStringSubmatch(s, -1) {
				answer := Read(m[1])
				said[answer.Verdict]++
				if code := m[1][strings.LastIndex(m[1], " ")+1:]; isCode(code) && !slices.Equal(answer.Codes, []string{code}) {
					t.Errorf("%s: %q names %v", tag, m[1], answer.Codes)
				}
			}
			if said[None] > 0 || said[Yes] == 0 || said[Yes] != said[No] {
				t.Errorf("%s: %v answers in %q", tag, said, s)
			}
		}
		no := Reader{Lang: tag, OnlyNo: true}
		for _, s := range []string{question(one, no), Questions([]loci.Approval{one, two}, no)} {
			typed := bold.FindAllStringSubmatch(s, -1)
			for _, m := range typed {
				if Read(m[1]).Verdict != No {
					t.Errorf("%s: who can only say no is told to type %q", tag, m[1])
				}
			}
			if len(typed) == 0 || !strings.Contains(s, "loci approvals yes 7F3") {
				t.Errorf("%s: no way to answer in %q", tag, s)
			}
		}
		if s := OnlyNo([]string{"7F3", "8K2"}, tag); Read(s).Verdict != None || !strings.Contains(s, "`loci approvals yes 8K2`") {
			t.Errorf("%s: %q", tag, s)
		}
	}
}

func TestRefusals(t *testing.T) {
	texts := map[string]bool{}
	for name, refusal := range map[string]func(tool, lang string) Refusal{"declined": Declined, "not now": NotNow, "expired": Expired, "withdrawn": Withdrawn} {
		for _, tag := range []string{lang.English, lang.Chinese, lang.Czech} {
			r := refusal("write_file", tag)
			if r.Err.CanRetry || r.Err.Suggestion == "" || !strings.Contains(r.Err.Message, "write_file was not run") {
				t.Errorf("%s: %+v", name, r.Err)
			}
			if !strings.Contains(r.Text, "`write_file`") || texts[r.Text] {
				t.Errorf("%s in %s: %q", name, tag, r.Text)
			}
			texts[r.Text] = true
		}
	}
}
