package embedded

// Step is what a fetch is doing.
type Step string

// The steps of a fetch, in their order. StepWait happens only while another
// loci is fetching into the same folder.
const (
	StepWait     Step = "wait"
	StepDownload Step = "download"
	StepInstall  Step = "install" // checking, unpacking and converting
	StepDone     Step = "done"
)

// Progress is how far a fetch has come. The bytes are those of the downloads,
// so a rate and the time left follow from two reports.
type Progress struct {
	Step    Step
	Package Package // the one at work; the zero value for StepWait and StepDone
	Done    int64   // bytes of this package
	Total   int64
	AllDone int64 // bytes of all packages that this fetch gets
	All     int64
}

// meter adds up the progress of one fetch. It counts only downloads: unpacking
// and converting take a second or two, and a bar that stands still at the end
// for so long is understood.
type meter struct {
	report func(Progress)
	before int64 // bytes of the packages that are finished
	all    int64
}

func newMeter(report func(Progress), packages []Package) *meter {
	m := &meter{report: report}
	if m.report == nil {
		m.report = func(Progress) {}
	}
	for _, p := range packages {
		m.all += p.Size
	}
	return m
}

// at reports done bytes of p.
func (m *meter) at(step Step, p Package, done int64) {
	done = min(done, p.Size)
	m.report(Progress{Step: step, Package: p, Done: done, Total: p.Size, AllDone: m.before + done, All: m.all})
}

// state reports a step that belongs to no package.
func (m *meter) state(step Step) { m.report(Progress{Step: step, AllDone: m.before, All: m.all}) }
