package confine

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// swapper puts one content and another in the place of a file, in turn and as fast as
// it can, until the test is over.
func swapper(t *testing.T, path string, contents ...string) {
	t.Helper()
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			next := path + ".next"
			if err := os.WriteFile(next, []byte(contents[i%len(contents)]), 0o700); err != nil {
				stopped <- err
				return
			}
			if err := os.Rename(next, path); err != nil {
				stopped <- err
				return
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

// TestPinnedAgainstASwapper: what is run is what was agreed to, whatever another
// process puts in its place, at the very moment too.
func TestPinnedAgainstASwapper(t *testing.T) {
	py := python(t)
	atLevels(t, func(t *testing.T, b *bench) {
		const good = "#!/bin/sh\necho good $0 $1\nls > /dev/null\n"
		path := b.root + "/in/sub/run.sh"
		b.write("in/sub/run.sh", good)
		b.write("in/good.py", "import sys\nprint('good', sys.argv[0], sys.argv[1])\n")
		agreed := b.content("in/good.py")
		swapper(t, path, good, "#!/bin/sh\necho evil\n", "#!/bin/echo evil\n")
		swapper(t, b.root+"/in/good.py", agreed, "print('evil')\n")
		for range 60 {
			b.plan.Pinned = []File{{path, []byte(good)}}
			if r := b.run(path, "./sub/run.sh", "x"); all(r) != "good "+path+" x\n" {
				t.Fatalf("%+v %s", r, all(r))
			}
			if r := b.run("/bin/sh", "sh", "sub/../sub/run.sh", "x"); all(r) != "good sub/../sub/run.sh x\n" {
				t.Fatalf("%+v %s", r, all(r))
			}
			b.plan.Pinned = []File{{b.root + "/in/good.py", []byte(agreed)}}
			if r := b.run(py, "python3", "good.py", "x"); all(r) != "good good.py x\n" {
				t.Fatalf("%+v %s", r, all(r))
			}
		}
	})
}

// TestPinnedIsThereThoughNothingIs: not only the file may go, also its folder.
func TestPinnedIsThereThoughNothingIs(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		real, err := os.ReadFile("/bin/echo")
		if err != nil {
			t.Fatal(err)
		}
		b.write("in/other/prog", string(real))
		for name, content := range map[string]string{"script": "#! /bin/sh\t-e \necho ran $0\n", "prog": string(real)} {
			path := b.root + "/in/sub/" + name
			b.plan.Pinned = []File{{path, []byte(content)}}
			r := b.run(path, "./sub/"+name, "ran")
			if want := map[string]string{"script": "ran " + path + "\n", "prog": "ran\n"}[name]; all(r) != want {
				t.Errorf("%s: %+v %s", name, r, all(r))
			}
		}
	})
}

// TestPinnedProgramKnowsItsPlace: a program that is as it was agreed to runs as the file
// that it is.
func TestPinnedProgramKnowsItsPlace(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		real, err := os.ReadFile("/bin/readlink")
		if err != nil {
			t.Fatal(err)
		}
		path := b.root + "/in/prog"
		b.write("in/prog", string(real))
		b.plan.Pinned = []File{{path, real}}
		if r := b.run(path, "readlink", "/proc/self/exe"); all(r) != path+"\n" && b.level.Namespaces {
			t.Errorf("%+v %s", r, all(r))
		}
		b.write("in/prog", string(real[:len(real)-1])+"x")
		if r := b.run(path, "readlink", "/proc/self/exe"); !strings.Contains(all(r), "memfd") && b.level.Namespaces {
			t.Errorf("%+v %s", r, all(r))
		}
	})
}

// TestPinnedUntilTheCommandIsAtWork: what it does itself it finds.
func TestPinnedUntilTheCommandIsAtWork(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		const script = "#!/bin/sh\necho second > \"$0\"\nread line < \"$0\"\necho $line\n"
		path := b.root + "/in/run.sh"
		b.write("in/run.sh", script)
		b.plan.Pinned = []File{{path, []byte(script)}}
		if r := b.run(path, "./run.sh"); all(r) != "second\n" {
			t.Errorf("%+v %s", r, all(r))
		}
		const other = "#!/bin/sh\ncp new run.sh\nexec ./run.sh\n"
		b.write("in/new", "#!/bin/sh\necho new\n")
		b.write("in/run.sh", other)
		b.plan.Pinned = []File{{path, []byte(other)}}
		if r := b.run(path, "./run.sh"); all(r) != "new\n" {
			t.Errorf("%+v %s", r, all(r))
		}
	})
}

// TestPinnedStillRefuses: questions to the warden open nothing that is closed.
func TestPinnedStillRefuses(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		const script = "#!/bin/sh\ncat ../out/secret; echo x > ../out/new; ls | wc -l; cat ./*.txt & wait; true\n"
		path := b.root + "/in/run.sh"
		b.write("in/run.sh", script)
		for i := range 3 {
			b.write("in/"+strconv.Itoa(i)+".txt", "text\n")
		}
		b.plan.Pinned = []File{{path, []byte(script)}}
		r := b.run(path, "./run.sh")
		if got := all(r); r.Exit != 0 || strings.Contains(got, "SECRET") || strings.Count(got, "text\n") != 3 || !strings.Contains(got, "4\n") {
			t.Errorf("%+v %s", r, got)
		}
		if _, err := os.Stat(filepath.Join(b.root, "out/new")); err == nil {
			t.Error("it was written")
		}
		for _, broken := range []string{"#!\n", "#!" + strings.Repeat("x", 300), "#!/no/such/thing\n", "plain"} {
			b.write("in/run.sh", broken)
			p := b.plan
			p.Program, p.Argv, p.Pinned = path, []string{"x"}, []File{{path, []byte(broken)}}
			if _, err := run(t.Context(), p, b.level); err == nil || !strings.Contains(err.Error(), "cannot be run") {
				t.Errorf("%.20q: %v", broken, err)
			}
		}
	})
}
