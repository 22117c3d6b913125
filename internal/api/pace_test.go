package api

import (
	"fmt"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// Each key has a pace of its own, in the error shape of each door, and who waits may
// go on.
func TestPaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := newFake().config()
		cfg.Limits = Limits{KeyRate: 2, OwnRate: 5}
		h := New(cfg)
		for key, rate := range map[string]int{scriptKey: 2, ownerKey: 5, chatKey: 5} {
			c := client{t, h, key}
			for i := range rate * atOnce {
				if w := c.do("GET", "/v1/models", ""); w.Code != 200 {
					t.Fatalf("request %d: %d", i, w.Code)
				}
			}
			for path, want := range map[string]string{"/v1/models": `{"error":{"message":`, "/api/tags": `{"error":"There are too many`} {
				w := c.do("GET", path, "")
				wait, err := strconv.Atoi(w.Header().Get("Retry-After"))
				if w.Code != 429 || err != nil || wait < 1 || len(w.Body.String()) < len(want) || w.Body.String()[:len(want)] != want {
					t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
				}
			}
			<-time.After(time.Second)
			if w := c.do("GET", "/v1/models", ""); w.Code != 200 {
				t.Errorf("after a moment: %d", w.Code)
			}
		}
	})
}

// A user that a chat server forwards uses up nobody else's pace, and users that an
// untrusted key makes up are that key.
func TestPacesOfForwardedUsers(t *testing.T) {
	cfg := newFake().config()
	cfg.Limits = Limits{KeyRate: 1, OwnRate: 1000}
	h := New(cfg)
	ask := func(key, user string) int {
		return client{t, h, key}.do("GET", "/v1/models", "", "X-OpenWebUI-User-Id", user).Code
	}
	for range atOnce {
		ask(ownerKey, "eve")
	}
	if eve, ann := ask(ownerKey, "eve"), ask(ownerKey, "ann"); eve != 429 || ann != 200 {
		t.Errorf("eve %d, ann %d", eve, ann)
	}
	for i := range atOnce {
		ask(scriptKey, fmt.Sprint(i))
	}
	if code := ask(scriptKey, "another"); code != 429 {
		t.Errorf("another of a made key's: %d", code)
	}
}

// Wrong keys from another machine are answered only so often; nobody on this one is
// shut out by them.
func TestGuesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(newFake().config())
		from := func(address, key string) int {
			r := request("GET", "/v1/models", "", "Authorization", "Bearer "+key)
			r.RemoteAddr = address
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code
		}
		for _, address := range []string{"192.0.2.7:1000", "[2001:db8::1]:1000"} {
			for i := range guesses {
				if code := from(address, "wrong"); code != 401 {
					t.Fatalf("guess %d: %d", i, code)
				}
			}
			if code := from(address, "wrong"); code != 429 {
				t.Errorf("%s: one too many: %d", address, code)
			}
		}
		if code := from("[2001:db8::2]:1", "wrong"); code != 429 {
			t.Errorf("its neighbour, who is the same: %d", code)
		}
		if code := from("192.0.2.8:1", ownerKey); code != 200 {
			t.Errorf("another machine: %d", code)
		}
		for range 3 * guesses {
			if code := from("127.0.0.1:1000", "wrong"); code != 401 {
				t.Fatalf("this machine: %d", code)
			}
		}
		if code := from("127.0.0.1:1000", ownerKey); code != 200 {
			t.Errorf("a right key on this machine: %d", code)
		}
		<-time.After(time.Minute)
		if code := from("192.0.2.7:1000", ownerKey); code != 200 {
			t.Errorf("after a minute: %d", code)
		}
	})
}

// However many there are, only so many are kept in mind.
func TestPacesForget(t *testing.T) {
	p := newPaces(Limits{}.withDefaults())
	for i := range 2 * mostKept {
		r := request("GET", "/", "")
		r.RemoteAddr = fmt.Sprintf("10.%d.%d.1:1", i>>8&255, i&255)
		p.guessed(r, errGone)
	}
	if len(p.wrong) > mostKept {
		t.Errorf("%d are kept", len(p.wrong))
	}
}
