package toolcall

import (
	"encoding/json"
	"fmt"

	"loci"
)

// Doing says in words what a call does, for a person who watches.
func Doing(call loci.ToolCall) string {
	var args map[string]any
	_ = json.Unmarshal(call.Arguments, &args) // what cannot be read is left out
	arg := func(name, absent string) string {
		if v, ok := args[name]; ok && fmt.Sprint(v) != "" {
			return fmt.Sprint(v)
		}
		return absent
	}
	switch call.Name {
	case "list_dir":
		return "listing " + arg("path", ".")
	case "read_file":
		return "reading " + arg("path", "a file")
	case "search_files":
		text := "looking through the files"
		if content := arg("content", ""); content != "" && arg("regexp", "") != "true" {
			text = fmt.Sprintf("searching for %q", content)
		} else if name := arg("name", ""); name != "" {
			text = "looking for files named " + name
		}
		if path := arg("path", ""); path != "" {
			text += " in " + path
		}
		return text
	case "write_file":
		return "writing " + arg("path", "a file")
	case "edit_file":
		return "changing " + arg("path", "a file")
	case "move_file":
		return "moving " + arg("source", "a file") + " to " + arg("destination", "another place")
	case "delete_file":
		return "deleting " + arg("path", "a file")
	case "system_info":
		return "looking at the machine"
	case "list_processes":
		return "looking at what runs"
	case "current_time":
		return "looking at the clock"
	case "calculate":
		return "calculating " + arg("expression", "")
	}
	return call.Name
}
