// Package harmless knows, of some well-known commands, the arguments that do no harm: none of them makes the command run
// a program, write elsewhere than it does anyway, read what the caller keeps secret, or reach another host.
//
// Rules:
//
//   - What is not listed is not harmless: an option, a spelling of one (an abbreviation, a cluster with an unknown letter),
//     an operand of another kind.
//   - Options count wherever they stand, also behind operands. Behind -- nothing is an option. Some systems take what is
//     behind the first operand for operands: so a value there is judged as a file, too.
//   - A value that is a separate word may not begin with a dash: if the command took no value there, it would be an option.
//     Nor with an @, which to some programs names a file of arguments, wherever it stands.
//   - Names of files are the caller's to judge.
//
// Test and build commands are listed though they run the code of the project, which no argument changes; OwnCode says so.
package harmless

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Entry is a command whose harmless arguments are known.
type Entry struct {
	Name    string // the words it begins with: "go test"
	Means   string // what it does with harmless arguments, on one line
	OwnCode bool   // it runs code of the project
	TopOnly bool   // it is not harmless in another folder, whose own settings would count there

	style    style
	options  map[string]kind
	operands operands
	most     int // number of operands, if not 0

	behind     map[string]kind // options behind --; nil: nothing is an option there
	behindOnes operands        // operands of these
}

// style is how a command reads its options.
type style int

const (
	gnu        style = iota // -a -bc -nVALUE --long --long=VALUE
	single                  // -long, --long, -long=VALUE, as Go's flag package
	predicates              // an expression of words, as find
	none                    // no options: every word is text
)

// kind is what an option takes.
type kind int

const (
	flag     kind = iota + 1
	text          // a value, attached or as the next word
	number        // the same, digits only
	file          // the same, the name of a file that is read
	attached      // a value behind = or none; never the next word, which could be --
	apart         // a value as the next word only: what is attached are more options
)

// operands are the words that are no options.
type operands int

const (
	nothing   operands = iota // no operands
	words                     // any words
	files                     // names of files
	pattern                   // a pattern, then names of files; with -e names only
	packages                  // folders of Go packages: ./a ./...
	revisions                 // of git: revisions and names of files
	testFiles                 // names of files with ::TEST behind them
	format                    // +FORMAT
)

// Check says why the arguments of a command, all its words, are not known to be harmless; nil if they are. reads judges
// the name of a file that would be read, as the command would find it.
func (e *Entry) Check(command []string, reads func(name string) error) error {
	c := check{Entry: e, reads: reads, options: e.options}
	args := command[len(strings.Fields(e.Name)):]
	switch e.style {
	case none:
		return nil
	case predicates:
		return c.expression(args)
	}
	for i := 0; i < len(args); i++ {
		var next string
		if i+1 < len(args) {
			next = args[i+1]
		}
		used, err := c.word(args[i], next, i+1 < len(args))
		if err != nil {
			return err
		}
		i += used
	}
	if c.given && c.pattern != "" { // an option behind it gave the pattern, so it names a file
		return c.file(c.pattern)
	}
	return nil
}

// check is one look at the arguments of a command.
type check struct {
	*Entry
	reads   func(string) error
	options map[string]kind
	ended   bool   // -- was seen
	given   bool   // the pattern was given by an option
	seen    int    // operands
	pattern string // the first operand, if it may be the pattern
}

// word judges one word and says how many words behind it belong to it.
func (c *check) word(w, next string, more bool) (used int, err error) {
	switch {
	case w == "--" && !c.ended:
		c.ended = true
		if c.behind != nil {
			c.options, c.ended = c.behind, false
			c.operands, c.behind = c.behindOnes, nil
		}
		return 0, nil
	case c.ended || w == "-" || !strings.HasPrefix(w, "-"):
		return 0, c.operand(w)
	case c.most > 0 && c.seen > 0:
		return 0, fmt.Errorf("%s could be an operand", w)
	case c.options[w] == flag, c.options[w] == attached:
		return 0, nil
	}
	name, value, has := w, "", false
	if c.style == single {
		name = "-" + strings.TrimLeft(w, "-")
	}
	if strings.HasPrefix(w, "--") || c.style == single {
		name, value, has = strings.Cut(name, "=")
		return c.long(name, value, has, next, more)
	}
	return c.cluster(w, next, more)
}

// long judges an option with a name.
func (c *check) long(name, value string, has bool, next string, more bool) (used int, err error) {
	k := c.options[name]
	if k == 0 {
		return 0, fmt.Errorf("%s is not known to be harmless", name)
	}
	if name == "--regexp" {
		c.given = true
	}
	switch {
	case k == flag && (!has || c.style == single && (value == "true" || value == "false")), k == attached && !has:
		return 0, nil
	case k == flag:
		return 0, fmt.Errorf("%s takes no value", name)
	case has:
		return 0, c.value(name, k, value)
	}
	return c.separate(name, k, next, more)
}

// cluster judges letters behind one dash.
func (c *check) cluster(w, next string, more bool) (used int, err error) {
	for i, letter := range w[1:] {
		name := "-" + string(letter)
		rest := w[1+i+len(string(letter)):]
		if letter >= '0' && letter <= '9' && i == 0 && c.options["-0"] == flag { // a number of lines
			return 0, c.value(w, number, w[1:])
		}
		switch k := c.options[name]; k {
		case flag:
			continue
		case text, number, file:
			c.given = c.given || name == "-e"
			if rest != "" {
				return 0, c.value(name, k, rest)
			}
			return c.separate(name, k, next, more)
		case apart:
			if rest == "" {
				return c.separate(name, k, next, more)
			}
		}
		return 0, fmt.Errorf("%s is not known to be harmless", name)
	}
	return 0, nil
}

// separate judges a value in the next word.
func (c *check) separate(name string, k kind, next string, more bool) (used int, err error) {
	switch {
	case !more || strings.HasPrefix(next, "-"):
		return 0, fmt.Errorf("%s lacks its value", name)
	case strings.HasPrefix(next, "@"):
		return 0, fmt.Errorf("%q could name a file of arguments", next)
	case c.seen > 0 && (c.operands == files || c.operands == pattern):
		if err := c.file(next); err != nil {
			return 0, err
		}
	}
	return 1, c.value(name, k, next)
}

// asks are texts in formats that make a command run a program or ask a server: signatures are checked by another program,
// and a template of go list can ask for modules. A sign may stand behind the % of git.
var asks = []string{"%G", "%+G", "%-G", "% G", "signature", "module"}

func (c *check) value(name string, k kind, value string) error {
	switch k {
	case number:
		if strings.Trim(value, "0123456789") != "" || value == "" {
			return fmt.Errorf("%s takes a number", name)
		}
	case file:
		return c.reads(value)
	}
	formats := name == "--format" || name == "--pretty" || name == "-f" || name == "--sort"
	if formats && slices.ContainsFunc(asks, func(a string) bool { return strings.Contains(value, a) }) {
		return fmt.Errorf("%s could ask another program", name)
	}
	return nil
}

func (c *check) operand(w string) error {
	c.seen++
	if c.most > 0 && c.seen > c.most {
		return errors.New("too many operands")
	}
	first := c.seen == 1 && !c.given
	switch c.operands {
	case words:
		if c.OwnCode && strings.HasPrefix(w, "@") {
			return fmt.Errorf("%q could name a file of arguments", w)
		}
		return nil
	case files:
		return c.file(w)
	case pattern:
		if first {
			c.pattern = w
			return nil
		}
		return c.file(w)
	case packages:
		return c.goPackage(w)
	case revisions:
		return c.revision(w)
	case testFiles:
		name, _, _ := strings.Cut(w, "::")
		return c.file(name)
	case format:
		if strings.HasPrefix(w, "+") {
			return nil
		}
	}
	return fmt.Errorf("%q is not known to be harmless", w)
}

// file judges the name of a file, or standard input.
func (c *check) file(name string) error {
	if name == "-" {
		return nil
	}
	if strings.HasPrefix(name, "@") { // more arguments stand in the file
		return fmt.Errorf("%q could name a file of arguments", name)
	}
	return c.reads(name)
}

// goPackage takes folders below the current one: an import path could be anybody's code, a file anything. Behind ... a ..
// would take the dots away: ./.../../../x is ../x.
func (c *check) goPackage(w string) error {
	if w != "." && !strings.HasPrefix(w, "./") || strings.HasSuffix(w, ".go") || strings.Contains(w, "@") ||
		slices.Contains(strings.Split(w, "/"), "..") {
		return fmt.Errorf("%q is no folder of this module", w)
	}
	folder, _, _ := strings.Cut(w, "...")
	return c.reads(strings.TrimRight(folder, "/"))
}

// revision takes what git reads as a revision, a range, or a name in the repository. Two names outside would make git
// compare any files.
func (c *check) revision(w string) error {
	if strings.HasPrefix(w, "/") || strings.HasPrefix(w, "~") || slices.Contains(strings.Split(w, "/"), "..") {
		return c.reads(w)
	}
	if at := strings.LastIndexByte(w, ':'); at >= 0 && w[at+1:] != "" {
		if err := c.reads(w[at+1:]); err != nil {
			return err
		}
	}
	return c.reads(w)
}

// options reads a list of options: NAME is a flag, NAME= takes a value, NAME# a number, NAME@ the name of a file that is
// read, NAME[=] a value behind = or none, NAME_ a value as the next word only. -0 stands for a number such as -20.
func options(lists ...string) map[string]kind {
	out := map[string]kind{}
	for _, list := range lists {
		for _, word := range strings.Fields(list) {
			name, k := word, flag
			for suffix, of := range map[string]kind{"[=]": attached, "#": number, "@": file, "_": apart} {
				if cut, ok := strings.CutSuffix(word, suffix); ok {
					name, k = cut, of
				}
			}
			if cut, ok := strings.CutSuffix(name, "="); ok && k == flag {
				name, k = cut, text
			}
			out[name] = k
		}
	}
	return out
}

// expression judges the words of find: folders first, then what to look for.
func (c *check) expression(args []string) error {
	i := 0
	for ; i < len(args) && !strings.HasPrefix(args[i], "-") && args[i] != "!" && args[i] != "("; i++ {
		if err := c.file(args[i]); err != nil {
			return err
		}
	}
	for ; i < len(args); i++ {
		switch k := looking[args[i]]; {
		case k == 0:
			return fmt.Errorf("%s is not known to be harmless", args[i])
		case k == flag:
			continue
		case i+1 == len(args):
			return fmt.Errorf("%s lacks its value", args[i])
		case k == file:
			i++
			if err := c.reads(args[i]); err != nil {
				return err
			}
		default:
			// A value may begin with a dash here, -mtime -1: the predicate takes the next word whatever it is.
			i++
		}
	}
	return nil
}

// The predicates of find that only look. A letter behind a name says what follows: a text or a number (=), nothing.
var looking = options("-name= -iname= -path= -ipath= -wholename= -type= -maxdepth= -mindepth= -size= -mtime= -mmin= -atime= -amin= " +
	"-ctime= -cmin= -perm= -user= -group= -links= -regex= -iregex= -regextype= -newer@ -empty -print -print0 -not -a -and -o -or -prune -depth " +
	"-xdev -mount -readable -writable -executable -true -false ! ( ) ,")
