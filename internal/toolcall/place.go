package toolcall

// place is where in the layout of a reply the reader stands.
type place struct {
	blank bool // nothing but white space so far in this line
	block bool // the rest of this line is a quotation
	code  int  // backticks that opened the code that it is in; below zero, tildes
}

// freshLine is the place at the beginning of a line of prose.
var freshLine = place{blank: true}

// newLine follows the end of a line.
func (p *place) newLine() {
	p.blank, p.block = true, false
	if p.code > 0 && p.code < 3 {
		p.code = 0 // an open backtick in a line was just a backtick
	}
}

// bar follows the mark of a block quote, or of a row of a table.
func (p *place) bar() {
	p.block = p.block || p.blank
	p.blank = false
}

// fence follows n backticks or tildes.
func (p *place) fence(c byte, n int) {
	if c == '`' {
		p.backticks(n)
	} else {
		p.tildes(n)
	}
	p.blank = false
}

// backticks follows Markdown's rule for code: as many backticks as opened it
// close it, and a block that three or more opened is closed by no fewer.
func (p *place) backticks(n int) {
	switch {
	case p.code == 0:
		p.code = n
	case n == p.code, p.code >= 3 && n > p.code:
		p.code = 0
	}
}

// tildes follows Markdown's rule for the other fence of code: three tildes or more at
// the beginning of a line open it, and as many or more close it.
func (p *place) tildes(n int) {
	switch {
	case p.blank && n >= 3 && p.code == 0:
		p.code = -n
	case p.blank && p.code < 0 && n >= -p.code:
		p.code = 0
	}
}
