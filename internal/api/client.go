package api

import (
	"net/http"
	"strings"
)

// fromOpenWebUI tells whether the client is Open WebUI, which shows events
// inside a stream that others may not expect.
func (s *server) fromOpenWebUI(r *http.Request) bool {
	switch s.OpenWebUI {
	case "on":
		return true
	case "off":
		return false
	}
	if strings.EqualFold(clean(r.Header.Get("X-Loci-Client")), "open-webui") {
		return true
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Openwebui-") {
			return true
		}
	}
	return false
}
