package cli

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"loci"
)

// A person makes, sees, replaces and takes back a key; the secret is alone on the
// standard output, and nowhere else.
func TestAPIKeys(t *testing.T) {
	p := newPerson(t, nowhere)
	secret := regexp.MustCompile(`^loci_[A-Z2-7]{26}\n$`)
	if code := p.run("", "keys", "add", "bot", "--can", "chat,approve"); code != 0 || !secret.MatchString(p.out.String()) || !strings.Contains(p.err.String(), "The key bot is made. It is shown this once") {
		t.Fatalf("exit code %d, %q, %s", code, p.out.String(), &p.err)
	}
	first := p.out.String()
	for _, list := range [][]string{{"keys"}, {"keys", "list"}} {
		if code := p.run("", list...); code != 0 || !regexp.MustCompile(`(?m)^bot +never +chat, approve$`).MatchString(p.out.String()) || strings.Contains(p.out.String(), "loci_") {
			t.Errorf("%v: exit code %d, %s", list, code, &p.out)
		}
	}
	if code := p.run("", "keys", "add", "bot"); code != loci.ExitFailure || !strings.Contains(p.err.String(), "already") {
		t.Errorf("a second one: exit code %d, %s", code, &p.err)
	}
	if code := p.run("", "keys", "rotate", "bot", "--json"); code != 0 {
		t.Fatalf("exit code %d, %s", code, &p.err)
	}
	var made struct {
		Name string
		Can  []string
		Key  string
	}
	if err := json.Unmarshal(p.out.Bytes(), &made); err != nil || made.Name != "bot" || len(made.Can) != 2 || !secret.MatchString(made.Key+"\n") || made.Key+"\n" == first {
		t.Errorf("%s: %v", &p.out, err)
	}
	for _, which := range [][]string{{"owner"}, {"chat"}} {
		if code := p.run("", append([]string{"keys", "rotate"}, which...)...); code != 0 || !secret.MatchString(p.out.String()) {
			t.Errorf("%v: exit code %d, %q, %s", which, code, p.out.String(), &p.err)
		}
	}
	if code := p.run("", "keys", "revoke", "bot"); code != 0 || !strings.Contains(p.err.String(), "opens nothing any more") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
	for line, want := range map[string]string{
		"keys rotate":             "which key?",
		"keys revoke bot":         "There is no key named",
		"keys revoke chat":        "cannot be revoked, only replaced",
		"keys rotate ../x":        "There is no key named",
		"keys add Bot":            "cannot be named",
		"keys add a --can chat,x": "There is no right",
		"keys add":                "which key? Give its name",
		"keys revoke":             "which key? Give its name",
		"keys rewoke x":           "did you mean revoke?",
	} {
		if code := p.run("", strings.Fields(line)...); code == 0 || !strings.Contains(p.err.String(), want) {
			t.Errorf("%s: exit code %d, %s", line, code, &p.err)
		}
	}
}

// doctor --security ends with a failure only for what is red.
func TestDoctorSecurity(t *testing.T) {
	p := newPerson(t, nowhere)
	if code := p.run("", "doctor", "--security"); code != 0 || strings.Contains(p.out.String(), "warn") || strings.Contains(p.out.String(), "fail") {
		t.Errorf("exit code %d\n%s%s", code, &p.out, &p.err)
	}
	p.env["LOCI_ALLOWED_HOSTS"] = "loci.example"
	if code := p.run("", "doctor", "--security"); code != 0 || !strings.Contains(p.out.String(), "warn  hosts ") {
		t.Errorf("exit code %d\n%s", code, &p.out)
	}
	p.env["LOCI_LISTEN"], p.env["LOCI_INSECURE"] = "0.0.0.0:5624", "true"
	if code := p.run("", "doctor", "--security", "--json"); code != loci.ExitFailure || !strings.Contains(p.out.String(), `"name":"listen","status":"fail"`) || !strings.Contains(p.out.String(), `"hint":`) {
		t.Errorf("exit code %d\n%s", code, &p.out)
	}
}
