package text

// samples are texts that each have much of one kind, in the order of the fields of
// Weights. What a tokenizer makes of them tells how it takes that kind.
var samples = [...]string{
	"It was a quiet morning in the harbour, and the boats had not yet gone out. Mira carried the basket of letters up the hill, " +
		"past the bakery and the old school, thinking about the meeting that she had promised to prepare for the next week. " +
		"Nobody had told her which questions the committee would ask, so she wrote down everything that seemed important.",
	"agent.newTurn(ctx).setOption(maxTokens).isEmpty, os.path.join(self.baseDir,config.fileName), window.addEventListener(onClick), " +
		"kubectl_apply-f_deployment.yaml, user_id/order_items/created_at, fmt.Errorf(errNotFound), parseHTTPHeader, stdin_buf, tmp_dir, getServerURL.toString",
	`{"type":"function","name":"search","parameters":{"path":{"type":"string"},"all":true,"lines":[],"required":["path"]}}` +
		`{"a":"b","c":[{"d":"e"},{"f":null}]} https://example.org/a?b=c&d=e <p class="note">text</p> | a | b |---|---| **x** (see [y](z.md)) x += y[i].z(); $HOME/*.go`,
	"func (t *turn) close(ctx context.Context) error {\n\tfor i, c := range t.calls {\n\t\tif c.done {\n\t\t\tcontinue\n\t\t}\n\t\tif err := c.end(ctx); err != nil {\n" +
		"\t\t\treturn fmt.Errorf(\"%s: %w\", c.name, err)\n\t\t}\n\t}\n\treturn nil\n}\n\n# Head\n\n- one\n- two\n\ndef main():\n    for x in y:\n        print(x)\n\n        return x\n",
	"2026-11-29 14:02:11 10.0.0.17 111\n2026-11-29 14:02:12 2381 17\n3.14159 65536 1024 250000 99.5 7 42\n+420 602 118 305, 1999, 2048, 31536000\n",
	"Včera jsme spočítali všechny chybové řádky podle modulů a zapsali je do souboru. Přečti mi prosím, co je napsáno v posledním dopise od tety. " +
		"Gestern haben wir alle Fehlerzeilen nach Modulen gezählt und über die Größe gesprochen. L'été dernier, nous avons déjà été à la forêt.",
	"今天天气很好，我们打算去公园散步。请统计昨天日志目录中每个模块的错误行数，排序之后写入报告文件。这个文件夹里有哪些文件？" +
		"如果需要修改配置，请先告诉我原因，并且说明可能的影响。人工智能正在改变人们的工作和生活方式。",
	"Вчера мы посчитали все строки с ошибками по модулям и записали их в файл отчёта. Прочитай мне, пожалуйста, последнее письмо от тёти. " +
		"Если понадобится изменить настройки, сначала скажи мне почему.",
	"aGVsbG8gd29ybGQgdGhpcyBpcyBh1Kx9QmZzR2tY0uJ7vN3pLwE5oC8dBqTf6XyWnA2rSiGhMbVjU4eZlKcPtRm9aDkYx1QoHvFs3NgL8uJwB5zEiTpC0XrVdMyS2fGnA7qKhUbWjO6lZ4eItRcPxDvYmQs",
}

// Samples are the texts by which the Weights of a model are found.
func Samples() []string { return samples[:] }

// Telling are the places of the Samples in which models differ most: prose, digits, accents
// and Chinese.
func Telling() []int { return []int{0, 4, 5, 6} }

// The bounds of a weight. What a server tells beyond them is not believed.
const leastWeight, mostWeight = 0.2, 5

// Fit finds the weights of a model from what it counts for each of the Samples. One that
// was not counted, 0, leaves the weight of its kind.
func Fit(counted []int) (w Weights) {
	made := make([]Makeup, len(samples))
	for i, s := range samples {
		made[i] = Make(s)
	}
	// Each sample has some of the other kinds in it, so that all depend on each other.
	weights := []*float64{&w.Words, &w.Names, &w.Marks, &w.Blanks, &w.Digits, &w.Accents, &w.Han, &w.Letters, &w.Mixed}
	for range 8 {
		for i, weight := range weights[:min(len(counted), len(weights))] {
			if counted[i] <= 0 {
				continue
			}
			*weight = 1
			own := float64(*made[i].kinds()[i]) / 10
			others := made[i].exact(w) - own
			*weight = min(mostWeight, max(leastWeight, (float64(counted[i])-others)/own))
		}
	}
	return w
}
