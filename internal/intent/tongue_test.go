package intent_test

import (
	"strings"
	"testing"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
)

// TestEnglishOnly has talk that a model for English alone cannot hold answered in a
// sentence, in the language of the talk where loci has words in it.
func TestEnglishOnly(t *testing.T) {
	r := intent.New(intent.Config{})
	asks := func(text string, speaks ...string) loci.Move {
		m, err := r.Next(t.Context(), loci.Situation{Text: text, Lang: lang.Of(text), Tools: specsOf(everything()), Params: 135_000_000, Speaks: speaks, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const zh, cs, other = "只懂英文", "umí jen anglicky", "knows English only"
	for text, want := range map[string]string{
		"给我写一首诗": zh, "法国的首都是哪里？": zh, "我今天很累": zh, "为什么天空是蓝色的？": zh,
		"Napiš mi básničku": cs, "Proč je nebe modré?": cs, "Jsem dnes unavený": cs, "Kdo napsal Hamleta?": cs,
		"日本の首都はどこですか": other, "こんにちは、元気ですか": other, "한국의 수도는 어디입니까?": other, "Πώς είσαι;": other, "كيف حالك اليوم؟": other,
		"Perché il cielo è blu? Dimmi una cosa": other, "você pode me dizer uma piada? obrigado": other, "Opowiedz mi żart proszę": other, "Hoe gaat het met je?": other, "Hur mår du, vad heter du?": other,
		"Why is the sky blue?": "", "Who was Vincent van Gogh?": "", "Tell me about Karel Čapek and his plays": "", "What does 你好 mean in English?": other, "translate hello into French": other, "Translate \"good morning\" to Chinese": other, "how do you say dog in Czech?": other,
		"tell me about life in Czech villages": "", "translate this into simple English: commence": "", "write about bread in French cuisine": "", "what is the best city in Polish Silesia?": "",
		"café culture": "", "What does bonjour mean?": "", "hi": "Hello", "你好": "您好", "Ahoj": "Dobrý den",
		strings.Repeat("今天我们去公园玩。", 50): zh,
	} {
		if m := asks(text, "en"); (want == "") != (m.Talk != nil) || !strings.Contains(m.Say, want) {
			t.Errorf("%q: %+v, want %q", text, m, want)
		}
	}
	for _, text := range []string{"给我写一首诗", "Proč je nebe modré?", "한국의 수도는 어디입니까?"} {
		if m := asks(text); m.Talk == nil {
			t.Errorf("%q is kept from a model that may know the language: %+v", text, m)
		}
	}
	if m := asks("给我写一首诗", "en", "zh-Hans"); m.Talk == nil {
		t.Errorf("a person knows that the model speaks Chinese: %+v", m)
	}
	// What the sentences name as understood is.
	for _, text := range []string{"Which files changed today?", "今天修改了哪些文件？", "现在几点？", "Které soubory se dnes změnily?", "Kolik je hodin?"} {
		if m := asks(text, "en"); m.Call == nil {
			t.Errorf("%q calls nothing: %+v", text, m)
		}
	}
}
