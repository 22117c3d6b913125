package argv

import (
	"strings"
	"testing"
)

func TestAlone(t *testing.T) {
	for line, want := range map[string][2]bool{ // script, alone
		"ls -la": {false, true}, "cat x": {false, true}, "cp a b": {false, true}, "sort x": {false, true}, "find . -name x": {false, true},
		"sh x": {true, true}, "python3.11 x -c y": {true, true}, "node x --eval y": {true, true}, "bash x": {true, true},
		"": {}, "sh": {}, "sh -c x": {}, "sh +e x": {}, "python3 -m x": {}, "sh -- x": {}, "awk x": {}, "sqlite3 x": {}, "npx x": {}, "php -r x": {}, "zsh x": {},
		"env ls": {}, "make": {}, "git log": {}, "jq . x": {}, "tar cf a b": {}, "find . -exec x ;": {}, "sort --compress-program=x y": {}, "sed s/a/b/ x": {}, "rsync a b": {}, "unknown": {}, "sem x": {}, "parallel x": {},
	} {
		script, alone := Alone(strings.Fields(line))
		if script != want[0] || alone != want[1] {
			t.Errorf("%q: %v %v", line, script, alone)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for line, want := range map[string]bool{
		"/bin/sh": true, " /bin/sh -e": true, "/usr/bin/env python3": true, "/usr/bin/python3.11 -u": true, "/usr/bin/awk -f": true, "/bin/sh\r": true,
		"": false, "sh": false, "./sh": false, "/bin/sh x": false, "/bin/sh -e x": false, "/bin/sh -./x": false, "/usr/bin/env -S sh x": false, "/usr/bin/env ./x": false, "/usr/bin/env A=b": false, "/usr/bin/env make": false,
		"/usr/bin/make -f": false, "/work/mine": false, "/usr/bin/env": false,
	} {
		if _, is := FirstLine(line); is != want {
			t.Errorf("%q: %v", line, is)
		}
	}
}
