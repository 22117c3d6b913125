package intent

import "strings"

// Searches in one file that is named: how often something is in it, whether it is, and
// of what there is most.

const (
	oneFile = `(?P<where>"[^"]+"|[\w./~\\-]*\w\.[a-z]\w{0,5})`
	sought  = `(?P<text>"[^"]+"|'[^']+'|“[^”]+”|[^,"]+?)`
)

// withinRules come before those that read a file for a question about it.
func withinRules() []rule {
	return []rule{
		{newPatterns( // of what there is most
			`^(?:who|what|which|whose|top \d+|most|busiest)(?: .*)?\b(?:most|often|frequent\w*|top|busiest|max)\b.*$`,
			`^(?:group|count|tally|sum up|break down|how many|number of)\b.*\b(?:by|per|for each|for every)\b.*$`, `^.*\b(?:most (?:often|frequent\w*|common)|(?:shows?|turns?|comes?) up (?:the )?most)\b.*$`,
		), func(u *utterance, _ captures) goal {
			where := u.fileNamed()
			m, ok := aField.match(strings.Replace(u.core, where, "", 1))
			if where == "" || !ok || counts.has(u.core) && ofLines.has(u.core) {
				return nil
			}
			field := fieldNames.or(m["field"], strings.ToLower(strings.TrimSuffix(m["field"], "es")))
			if _, known := fieldForms[strings.TrimSuffix(field, "s")]; known {
				field = strings.TrimSuffix(field, "s")
			}
			if _, known := fieldForms[field]; !known {
				return nil
			}
			return counting{where: where, field: field}
		}},
		{newPatterns( // how often
			`^(?:how (?:often|many times)|count how (?:often|many times))(?: (?:does|do|did|is|was|has|have|can|are|were))?(?: (?:the|a|an|word|text|string|it|he|she|they|i|we|phrase|you|term|name))* `+sought+` (?:appears?|occurs?|comes? up|shows? up|gets? mentioned|mentioned|turns? up|happen(?:s|ed)?|exists?|found|be found|used|see|logged|is there)?(?: up)?(?: (?:in|inside|within|across|throughout) `+oneFile+`)$`,
			`^(?:how (?:often|many times)|count how (?:often|many times)) (?:does|do|did|has) `+oneFile+` (?:mention|say|contain|complain|report|log|use|warn|have|include|mentioned|reported)(?: (?:about|of|the|a|an|word|text))* `+sought+`$`,
			`^(?:in )?`+oneFile+`[:,]? (?:how (?:often|many times)|count|number of)(?: (?:does|do|did|has|is|was|it|he|they|there|the|a|an|of|word|occurrences|mentions))*(?: (?:complain|warn|mention|say|report|log|contain|have|use|talk|see|fail)\w*)?(?: (?:about|of|with|the|a|an|on|word))* `+sought+`(?: (?:appear|occur|come up|show up|mentioned|happen|there|in it)\w*)?$`,
			`^(?:number|count|tally|total)(?: the)?(?: number)?(?: of)?(?: all)?(?: the)?(?: (?:occurrences?|mentions?|times|appearances?|hits|lines)(?: (?:of|for|with|containing))?)?(?: the)?(?: word)? (?P<text>"[^"]+"|[\p{Lu}]{3,}s?|\d{3,}s?) (?:in|inside|across|within|throughout|over) (?P<where>.+)$`,
			`^how many (?:(?:occurrences?|mentions?|times|hits)(?: (?:of|for))? )?(?:the (?:word )?)?(?P<text>"[^"]+"|[\p{Lu}]{3,}s?|\d{3,}s?) (?:(?:are|is|do i have|have i got|do we have|there|lines|entries|left|does) )*(?:in|inside|across|within|throughout|over) (?P<where>.+)$`,
			`^(?:统计|数一下|数数|看看)?\s*(?P<where>[\w./-]+\.\w{1,5})\s*(?:文件)?(?:里面|里|中)?\s*(?P<text>[\w“”"]+)\s*(?:出现|有)了?(?:多少|几)次$`, `^(?P<text>[\w“”"]+|“[^”]+”)\s*在\s*(?P<where>[\w./-]+\.\w{1,5})\s*(?:里面|里|中)?(?:出现|有)了?(?:多少|几)次$`,
			`^kolikrát (?:je|se|byl\pL*)?(?: ?slovo| text| vyskytuje)* ?(?P<text>„[^“]+“|"[^"]+"|\S+) (?:vyskytuje |objevuje |je )?(?:v|ve)(?: souboru)? (?P<where>\S+\.\w+)$`,
		), func(u *utterance, m captures) goal {
			text, quoted := unquote(m["text"])
			if stem, plural := strings.CutSuffix(text, "s"); plural && !quoted && stem == strings.ToUpper(stem) {
				text = stem
			}
			where, inQuotes := unquote(m["where"])
			plainWord := !quoted && text != strings.ToUpper(text)
			switch {
			case !quoted && kindOf(text) != "":
				return nil
			case isKnownFile(where), inQuotes:
			case countedKinds.or(text, "") != "", plainWord && (isFile(where) || !everywhere.has(where) && !saysFolder.has(where)):
				return nil
			case everywhere.has(where):
				where = ""
			default:
				var ok bool
				if where, ok = u.folder(where, true); !ok {
					return nil
				}
			}
			return oneCall{tool: searchFiles, args: arguments{"path": where, "content": text, "count": true}}
		}},
		{newPatterns( // the number of lines that say something
			`^(?:count|tell me|work out)? ?(?:how many|the number of) (?:lines|entries|times|messages|requests)(?: (?:that|which|in it|does|do))? (?:mention|contain|have|say|include|report|with|match|are about|talk about)\w*(?: (?:the|a|an|word|text))* ` + sought + ` (?:in|inside|within) ` + oneFile + `$`,
		), func(_ *utterance, m captures) goal {
			text, _ := unquote(m["text"])
			where, _ := unquote(m["where"])
			return oneCall{tool: searchFiles, args: arguments{"path": where, "content": text, "count": true}}
		}},
		{newPatterns( // whether, and where
			`^(?:does|do|did|is|has|can you (?:see|check) (?:if|whether)|check (?:if|whether)|see (?:if|whether)) `+oneFile+` (?:uses?|contains?|mentions?|have|has|includes?|says?|imports?|calls?|references?|talks? about)(?: (?:the|a|an|any|word|text|phrase|name|function|string|term))* `+sought+`(?: (?:anywhere|somewhere|in it|at all|too))*$`,
			`^(?:is|are|check (?:if|whether)|see (?:if|whether))(?: (?:the|a|an|any|word|there|text))* `+sought+`(?: (?:is|are))?(?: (?:mentioned|used|written|found|listed|present|anywhere|somewhere|included))* (?:in|inside|on) `+oneFile+`$`,
			`^(?:find|search(?: for)?|look for|grep(?: for)?|show(?: me)?|list|get|give me)(?: (?:the|all|every|any|lines?|line|with|that|contain|containing|mention|mentioning|about|word|text|say|saying|a|where|which))* `+sought+` (?:in|inside|within|from) `+oneFile+`$`,
			`^(?:search|grep|look (?:in|through)|check|go through) `+oneFile+`(?: (?:for|to find))(?: (?:the|all|any|word|text|lines with|a))* `+sought+`$`,
			`^在\s*(?P<where>[\w./-]+\.\w{1,5})\s*(?:里面|里|中)?(?:搜索|查找|找|搜)(?:一下)?\s*(?P<text>.+)$`, `^(?:najdi|hledej|vyhledej)(?: slovo| text)? (?P<text>„[^“]+“|"[^"]+"|\S+) (?:v|ve)(?: souboru)? (?P<where>\S+\.\w+)$`,
		), func(u *utterance, m captures) goal {
			where, _ := unquote(m["where"])
			text, _ := unquote(m["text"])
			if !isKnownFile(where) || len(strings.Fields(text)) > 4 || vagueWord.has(text) || isKnownFile(text) || wholeOf.has(text) {
				return nil
			}
			args := arguments{"content": text, "path": where}
			if !hasSeparator(where) { // it may be in any folder
				args = arguments{"content": text, "name": where}
			}
			return oneCall{tool: searchFiles, args: args}
		}},
	}
}

var (
	aField     = newPattern(`\b(?P<field>ip address(?:es)?|ips?|addresses|address|levels?|hosts?|users?|hours?|days?|dates?|modules?)\b|\b(?:who|visitors?|clients?)\b.*\b(?P<field>ip)\b|(?P<field>地址|用户|级别)`)
	everywhere = newPattern(`^(?:(?:all|all of|the|my|this|these|whole|entire|every|everything|in|complete|current|here|files?|notes|documents|folders?|director(?:y|ies)|project|place|code|everywhere|total) ?)+$`)
	// wholeOf is what stands for all that is in a file.
	wholeOf = newPattern(`^(?:contents?|everything|all|text|whole|lines?|anything|first|last|(?:first|last|top) .*|.*\b(?:lines|line \d+|words|paragraph|heading|title|summary|table|rows?|columns?)|\d+.*|it|(?:what|how|who|when|where|why|which|whether|if|that)\b.*|key .*|main .*|important .*)$`)
)
