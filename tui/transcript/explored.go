package transcript

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// Consecutive calls that only look at files fold into one line, except those that failed.

// exploration is a run of such calls.
type exploration struct {
	calls   []*toolItem
	open    bool // the calls are shown one by one
	changes int  // of all calls

	fold   []*toolItem // those that are one line, as of the change foldAt
	foldAt int
}

// exploring are the tools that only look at files, and what one call of each looks at.
var exploring = map[string]string{"read_file": "file", "list_files": "folder", "find_files": "search", "grep_files": "search"}

// join adds a call to the run that ends with the previous entry, or begins a run.
func (t *toolItem) join(before []*entry) {
	if exploring[t.call.Name] == "" {
		return
	}
	t.exploration = &exploration{}
	if n := len(before); n > 0 {
		if last, tool := before[n-1].item.(*toolItem); tool && last.exploration != nil {
			t.exploration = last.exploration
		}
	}
	t.exploration.calls = append(t.exploration.calls, t)
	t.bump()
}

func (t *toolItem) version() int {
	if t.exploration != nil {
		return t.n + t.exploration.changes
	}
	return t.n
}

func (t *toolItem) bump() {
	t.n++
	if t.exploration != nil {
		t.exploration.changes++
	}
}

func (t *toolItem) looksFine() bool {
	return t.state != callDone || t.result.Status == conversation.ResultOK
}

// folded returns the calls that are one line with this one, nil if it has lines of its own.
func (t *toolItem) folded(l *drawOptions) []*toolItem {
	if t.exploration == nil || t.exploration.open || l.expanded || len(t.exploration.calls) < 2 || !t.looksFine() {
		return nil
	}
	if r := t.exploration; r.foldAt != r.changes {
		r.foldAt, r.fold = r.changes, slices.DeleteFunc(slices.Clone(r.calls), func(t *toolItem) bool { return !t.looksFine() })
	}
	if len(t.exploration.fold) < 2 {
		return nil
	}
	return t.exploration.fold
}

// explored draws the line of folded calls.
func explored(l *drawOptions, all []*toolItem, width int) string {
	mark, style, verb := "▸", l.styles.Hint, "explored "
	counts, files, names := map[string]int{}, map[string]bool{}, []string(nil)
	var size conversation.Size
	var took time.Duration
	for _, t := range all {
		if t.state != callDone {
			verb = "exploring "
		}
		if t.state == callRunning {
			mark, style = t.mark(l, false)
		}
		size, took = size.Plus(t.result.Size), took+t.result.Duration
		name, what := t.subject(), exploring[t.call.Name]
		file, _, _ := strings.Cut(name, " from ")
		if what == "file" {
			name = path.Base(file)
		}
		if what != "file" || !files[file] {
			counts[what]++
		}
		files[file] = files[file] || what == "file"
		if name = oneLine(name, 30); !slices.Contains(names, name) && name != "." {
			names = append(names, name)
		}
	}
	for _, what := range []string{"file", "folder", "search"} {
		if n := counts[what]; n > 0 {
			verb += strings.Replace(numbers.Count(n, what), "searchs", "searches", 1) + ", "
		}
	}
	right := ""
	if size.Chars() > 0 {
		right = tokenNumber(size, l.factor)
		if width >= minUnitWidth {
			if right += " tok"; took >= longCommand {
				right += separator + seconds(took, 10*time.Second)
			}
		}
	}
	name := oneLine(strings.TrimSuffix(verb, ", "), max(0, width-2))
	free := width - 2 - ansi.StringWidth(name) - ansi.StringWidth(right) - 2
	about := separator + strings.Join(names[:min(3, len(names))], ", ")
	if more := len(names) - 3; more > 0 {
		about += ", +" + strconv.Itoa(more)
	}
	if about = oneLine(about, max(0, free)); free < 8 || len(names) == 0 {
		about = ""
	}
	line := style.Render(mark) + " " + l.styles.ToolName.Render(name) + l.styles.ToolSubject.Render(about)
	if gap := width - ansi.StringWidth(line) - ansi.StringWidth(right); gap > 1 {
		line += strings.Repeat(" ", gap) + l.styles.Faint.Render(right)
	}
	return pane.Clip(line, width)
}

// seconds formats a time, with tenths of a second below exact: 0.2 s, 14 s, 5 min 10 s.
func seconds(d, exact time.Duration) string {
	if d < exact {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return pane.Duration(d.Round(time.Second))
}
