package lang

// What somebody says who is about to do something, as alternatives of a regular
// expression that ignores case. What would, could or might be done is no such thing.
const (
	ActingEN = `I(?: will|['’]ll| am going to|['’]m going to| need to| have to| must| am now| now)|let(?: me|['’]s| us)|we(?: will|['’]ll| need to)`
	ActingZH = `我(?:来|來|将|將|会|會|要|先|需要|现在|現在)|(?:让|讓)我|我们来|我們來`
	// In Czech the verb says it alone, and the first person with it.
	ActingCS = `podívám(?: se)?|kouknu(?: se)?|mrknu|zkusím|přečtu|otevřu|zkontroluj[iu]|ověřím|vypíšu|prohledám|vyhledám|najdu|spustím|načtu|zjistím|zobrazím|projdu|prohlédnu|` +
		`použij[iu]|zavolám|zapíšu|smažu|přejmenuj[iu]|spočítám`
)

// Sequence are words that a sentence begins with which accompanies what somebody is
// doing, as alternatives of a regular expression: first this, then that.
const (
	SequenceEN = `first|second|third|then|next|now|finally|and|also`
	SequenceZH = `首先|先|然后|然後|接着|接著|再|现在|現在|正在|最后|最後`
	SequenceCS = `nejdřív|nejdříve|nejprve|potom|pak|teď|nyní|nakonec`
)
