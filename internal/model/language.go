package model

import (
	"regexp"
	"strings"
)

// englishModels are models whose makers say that they were made for English alone; of
// what a model was trained on, neither its server nor a short trial tells. The sources
// are the model cards: https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct ("primarily
// understand and generate content in English"; SmolLM3 knows more languages),
// https://huggingface.co/TinyLlama/TinyLlama-1.1B-Chat-v1.0 (Language(s): English).
var englishModels = regexp.MustCompile(`^(?:smollm2?|tinyllama)(?:[^a-z0-9]|$)`)

// languagesOf are the languages that a model of that name can talk in; nil where
// nobody knows of one that it cannot.
func languagesOf(model string) []string {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	if englishModels.MatchString(name) {
		return []string{"en"}
	}
	return nil
}
