package model

import "testing"

func TestLanguagesOf(t *testing.T) {
	for name, english := range map[string]bool{
		"smollm2:135m": true, "SmolLM2-135M-Instruct": true, "HuggingFaceTB/SmolLM-360M": true, "smollm": true, "tinyllama:1.1b": true, "TinyLlama-1.1B-Chat-v1.0": true,
		"smollm3:3b": false, "qwen3:0.6b": false, "gemma3:1b": false, "llama3.2:1b": false, "my-smollm2-zh": false, "": false,
	} {
		if got := languagesOf(name); (len(got) == 1 && got[0] == "en") != english || !english && got != nil {
			t.Errorf("%q: %v", name, got)
		}
	}
}
