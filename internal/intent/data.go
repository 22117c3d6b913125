package intent

import (
	"fmt"
	"regexp"
	"strings"

	"loci"
)

// aDatabase is a database in a file, anywhere among the words, with what leads to it.
var (
	aDatabase = newPattern(`[,:;]?(?:\s*(?:-|–|and)?\s*(?:please )?(?:do|run|execute|try|make) (?:that|this|it))?(?:(?:^|\s+)(?:on|in|inside|against|into|from|of|to|using|with|for|within|at|v|ve|na|z|ze|do))?(?:\s+(?:the|my|our))?(?:\s*(?:database|db|databázi|databáze|数据库))?(?:\s+file)?\s*(?:在|从|对|用)?\s*["'“]?(?P<db>[\w./~-]+\.(?:db3?|sqlite3?))["'”]?(?:'s)?(?:\s*(?:database|databázi|数据库))?(?:\s*(?:里面|里|中|上))?[,:;]?`)
	// runsIt leads to a statement.
	runsIt    = newPattern(`^(?:(?:please|run|execute|exec|query|do|try|perform|apply|the|this|sql|query|statement|command|following|on|it|to|can you|spusť|proveď|dotaz|příkaz|执行|运行|查询|语句|命令|SQL|一下|下面|的)[\s:：,]*)*`)
	looksUp   = newPattern(`^(?:select\b.+\bfrom\b.+|select \d.*|with\b.+\bas\b.+\bselect\b.+|pragma table_info.+)$`)
	changesIt = newPattern(`^(?:insert into\b.+\b(?:values|select)\b.+|insert into .+|update\b.+\bset\b.+|delete from\b.+|replace into\b.+)$`)
)

// statement reads a statement that is written out, wherever the words name the
// database it is for.
func (u *utterance) statement() goal {
	at := aDatabase.compiled().FindAllStringSubmatchIndex(u.core, -1)
	if len(at) != 1 {
		return nil
	}
	db := u.core[at[0][2]:at[0][3]]
	rest := strings.TrimSpace(u.core[:at[0][0]] + " " + u.core[at[0][1]:])
	rest = strings.TrimSpace(rest[len(runsIt.compiled().FindString(rest)):])
	sql, _ := unquote(strings.Trim(rest, " ;:,-。，"))
	sql = strings.TrimRight(u.verbatim(sql), " ;")
	switch {
	case looksUp.has(sql):
		return oneCall{tool: queryDB, args: arguments{"database": db, "query": sql}}
	case changesIt.has(sql):
		return change{changeDB, arguments{"database": db, "query": sql}}
	}
	return nil
}

// questionsOfData ask for rows of a database in a file: by a statement, or in words.
func questionsOfData() []rule {
	return []rule{{newPatterns(`\.(?:db3?|sqlite3?)(?:\W|$)`), func(u *utterance, _ captures) goal { return u.statement() }},
		{newPatterns(`\.(?:db3?|sqlite3?)(?:\W|$)`), func(u *utterance, _ captures) goal {
			at := aDatabase.compiled().FindAllStringSubmatchIndex(u.core, -1)
			if len(at) != 1 || !asksData.has(u.core) || notData.has(u.core) {
				return nil
			}
			words := strings.TrimSpace(u.core[:at[0][0]] + " " + u.core[at[0][1]:])
			return dataQuestion{db: u.core[at[0][2]:at[0][3]], words: words}
		}},
	}
}

var (
	asksData = newPattern(`^(?:what|which|who|how many|how much|how|whose|where|show|list|give|get|count|find|look|number|all|any|are|is|do|does|did|names?|tell|check|fetch|print|display|read|open|in|from|see|sum|total|average|the|jak\pL*|kter\pL+|kolik|ukaž|vypiš|kdo|co|v|ve|z|najdi)(?: |$)|多少|哪些|列出|显示|查|有|几|谁`)
	notData  = newPattern(`^(?:where is|find|locate|delete|remove|rename|move|copy|how (?:big|large|old)|when|is there|open) (?:the |my )?(?:file |database )?\S+\.\w+$|^how (?:big|large|old) `)
)

// dataQuestion is the goal of answering a question from a table: the tables are
// looked at first, and the statement is made of their names and the person's words.
type dataQuestion struct{ db, words string }

// first is the tool that looks.
func (dataQuestion) first() string { return queryDB }

// next looks at the tables, then at the rows of the one that is meant.
func (g dataQuestion) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return call(queryDB, arguments{"database": g.db})
	}
	last := done[len(done)-1]
	if last.Err != nil || len(done) > 1 {
		return say(u, last)
	}
	if query := g.query(decode[tablesResult](last).Tables); query != "" {
		return call(queryDB, arguments{"database": g.db, "query": query})
	}
	return say(u, last)
}

// tablesResult is what query_db tells of a database.
type tablesResult struct {
	Tables []dataTable `json:"tables"`
}

type dataTable struct {
	Name    string `json:"name"`
	Columns []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"columns"`
}

var (
	howManyRows = newPattern(`^(?:how many|count|number of|kolik|the number of)(?: |$)|多少|几个`)
	aTotal      = newPattern(`\b(?P<op>total|sum|average|mean|maximum|minimum)\b`)
	asksTables  = newPattern(`\b(?:tables?|schema|structure|columns?)\b|tabul|哪些表|什么表|结构`)
	aWord       = regexp.MustCompile(`[\pL_]+`)
	// aValue is what a column may hold: a name, or what is in quotes.
	aValue     = regexp.MustCompile(`"([^"]+)"|'([^']+)'|“([^”]+)”`)
	properName = regexp.MustCompile(`(?:^| )(?:from|in|of|by|named|called|to|for|live in|with|z|ze|v|ve|is|are) (\p{Lu}\pL+(?: \p{Lu}\pL+)?)|(\p{Lu}\pL+)'s `)
	// compared is a bound of a column.
	compared = newPattern(`(?P<col>\pL+)?(?: \pL+)? (?P<op>(?:more|greater|higher|larger|bigger) than|over|above|at least|(?:less|lower|smaller|fewer|cheaper) than|under|below|at most) (?P<n>\d+(?:\.\d+)?)`)
	// extremes are words for the row at an end of a column, by a part of its name.
	extremes = []struct {
		pattern     pattern
		column, way string
	}{
		{newPattern(`\b(?:most expensive|priciest|dearest|highest price)\b|最贵|nejdražší`), "price", "DESC"},
		{newPattern(`\b(?:cheapest|least expensive|lowest price)\b|最便宜|nejlevnější`), "price", "ASC"},
		{newPattern(`\b(?:newest|latest|most recent|last)\b|最新|nejnovější|poslední`), "da", "DESC"},
		{newPattern(`\b(?:oldest|first|earliest)\b|最早|nejstarší|první`), "da", "ASC"},
	}
	outOfStock = newPattern(`\b(?:out of stock|sold out|not in stock|no stock|zero stock)\b|缺货|vyprodan`)
	inStock    = newPattern(`\b(?:in stock|available|on stock)\b|有货|skladem`)
)

// query makes a statement of a question; empty where no table is named.
func (g dataQuestion) query(tables []dataTable) string {
	t, ok := g.table(tables)
	if !ok || asksTables.has(g.words) {
		return ""
	}
	what, end := "*", ""
	if howManyRows.has(g.words) {
		what = "count(*)"
	} else if m, ok := aTotal.match(g.words); ok {
		if c := g.named(t); c != "" {
			what = map[string]string{"total": "sum", "sum": "sum", "average": "avg", "mean": "avg", "maximum": "max", "minimum": "min"}[strings.ToLower(m["op"])] + "(" + quotedName(c) + ")"
		}
	}
	for _, e := range extremes {
		if c := t.column(e.column); c != "" && e.pattern.has(g.words) && what == "*" {
			end = " ORDER BY " + quotedName(c) + " " + e.way + " LIMIT 1"
			break
		}
	}
	query := "SELECT " + what + " FROM " + quotedName(t.Name)
	if where := g.where(t); where != "" {
		query += " WHERE " + where
	}
	return query + end
}

// table is the one that the words name, in the singular or the plural.
func (g dataQuestion) table(tables []dataTable) (dataTable, bool) {
	for _, w := range aWord.FindAllString(strings.ToLower(g.words), -1) {
		for _, t := range tables {
			if name := strings.ToLower(t.Name); singular(w) == singular(name) {
				return t, true
			}
		}
	}
	for _, t := range tables { // the names of tables are English, mostly
		if w, ok := dataNames.of(strings.ToLower(t.Name)); ok && w.has(g.words) {
			return t, true
		}
	}
	return dataTable{}, false
}

// dataNames are the words of other languages for tables that many databases have.
var dataNames = newLexicon(map[string]pattern{
	"customers": newPattern(`客户|顾客|zákazní[kc]`), "products": newPattern(`产品|商品|produkt|výrobk|zboží`), "orders": newPattern(`订单|objednáv`), "users": newPattern(`用户|uživatel`), "invoices": newPattern(`发票|faktur`),
})

func singular(w string) string {
	if stem, ok := strings.CutSuffix(w, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(w, "s")
}

// column is the first whose name has a part.
func (t dataTable) column(part string) string {
	for _, c := range t.Columns {
		if strings.Contains(strings.ToLower(c.Name), part) {
			return c.Name
		}
	}
	return ""
}

// named is the column that the words name.
func (g dataQuestion) named(t dataTable) string {
	for _, w := range aWord.FindAllString(strings.ToLower(g.words), -1) {
		for _, c := range t.Columns {
			if singular(w) == singular(strings.ToLower(c.Name)) {
				return c.Name
			}
		}
	}
	return ""
}

// where is the condition that the words set: a bound, or a value of a text column.
func (g dataQuestion) where(t dataTable) string {
	if c := t.column("stock"); c != "" {
		switch {
		case outOfStock.has(g.words):
			return quotedName(c) + " = 0"
		case inStock.has(g.words):
			return quotedName(c) + " > 0"
		}
	}
	if m, ok := compared.match(g.words); ok {
		column := g.named(t)
		if column == "" {
			column = t.column("price")
		}
		if sign := boundSigns.or(strings.Fields(m["op"])[0], ""); column != "" && sign != "" {
			if strings.HasPrefix(m["op"], "at ") {
				sign = map[bool]string{true: ">=", false: "<="}[strings.HasSuffix(m["op"], "least")]
			}
			return quotedName(column) + " " + sign + " " + m["n"]
		}
	}
	value := firstOf(aValue.FindStringSubmatch(g.words))
	if value == "" {
		value = firstOf(properName.FindStringSubmatch(g.words))
	}
	if value == "" {
		return ""
	}
	var any []string
	for _, c := range t.Columns {
		if kind := strings.ToLower(c.Type); strings.Contains(kind, "text") || strings.Contains(kind, "char") || kind == "" {
			any = append(any, fmt.Sprintf("%s = '%s' COLLATE NOCASE", quotedName(c.Name), strings.ReplaceAll(value, "'", "''")))
		}
	}
	return strings.Join(any, " OR ")
}

var boundSigns = newLexicon(map[string]string{"more": ">", "greater": ">", "higher": ">", "larger": ">", "bigger": ">", "over": ">", "above": ">", "less": "<", "lower": "<", "smaller": "<", "fewer": "<", "cheaper": "<", "under": "<", "below": "<", "at": ">="})

// firstOf is the first group that was found.
func firstOf(found []string) string {
	for _, f := range found[min(1, len(found)):] {
		if f != "" {
			return f
		}
	}
	return ""
}

// quotedName is a name as a statement has it.
func quotedName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

var plainName = regexp.MustCompile(`^[A-Za-z_]\w*$`)
