package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The manual is written in the macros of man. The generator that comes with cobra writes the same pages, byte for byte,
// by way of Markdown; its two parsers would be set up at every start of the program, for a command that few call.

// manPage is the manual page of a command. source names the program with its version.
func manPage(c *cobra.Command, source string, now time.Time) []byte {
	c.InitDefaultHelpCmd()
	c.InitDefaultHelpFlag()
	name := dashed(c.CommandPath())
	var p roff
	fmt.Fprintf(&p, ".nh\n.TH %q \"1\" %q %q \"Plimsoll\"\n", strings.ToUpper(name), now.Format("Jan 2006"), source)
	p.section("NAME")
	p.text(name + " - " + c.Short)
	p.section("SYNOPSIS")
	p.WriteString(bold(c.UseLine()) + "\n")
	p.section("DESCRIPTION")
	p.text(cmp.Or(c.Long, c.Short))
	p.flags("OPTIONS", c.NonInheritedFlags())
	p.flags("OPTIONS INHERITED FROM PARENT COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		p.section("EXAMPLE")
		p.example(c.Example)
	}
	if others := related(c); len(others) > 0 {
		p.section("SEE ALSO")
		for i, other := range others {
			others[i] = bold(other + "(1)")
		}
		p.WriteString(strings.Join(others, ", ") + "\n")
	}
	return []byte(p.String())
}

func dashed(path string) string { return strings.ReplaceAll(path, " ", "-") }

// related names the pages of the command above and of those below.
func related(c *cobra.Command) []string {
	var pages []string
	if c.HasParent() {
		pages = append(pages, dashed(c.Parent().CommandPath()))
	}
	children := slices.SortedFunc(slices.Values(c.Commands()), func(a, b *cobra.Command) int { return cmp.Compare(a.Name(), b.Name()) })
	for _, child := range children {
		if child.IsAvailableCommand() && !child.IsAdditionalHelpTopicCommand() {
			pages = append(pages, dashed(child.CommandPath()))
		}
	}
	return pages
}

// roff is a manual page that is being written.
type roff struct{ strings.Builder }

func (p *roff) section(title string) {
	if strings.HasSuffix(p.String(), "\"\n") { // only the title stands above
		p.WriteString("\n.SH " + title + "\n")
		return
	}
	p.WriteString("\n\n.SH " + title + "\n")
}

// text writes paragraphs, headings that begin with ####, and examples that are indented by a tab.
func (p *roff) text(text string) {
	afterHeading := false
	for i, block := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		heading, isHeading := strings.CutPrefix(block, "#### ")
		switch {
		case isHeading:
			p.WriteString("\n.SS " + heading + "\n")
		case strings.HasPrefix(block, "\t"):
			if !afterHeading {
				p.WriteString("\n")
			}
			p.example(strings.ReplaceAll("\n"+block, "\n\t", "\n")[1:])
		default:
			if i > 0 {
				p.WriteString("\n.PP\n")
			}
			p.WriteString(inline(block) + "\n")
		}
		afterHeading = isHeading
	}
}

// example writes lines as they stand.
func (p *roff) example(text string) {
	p.WriteString(".EX\n" + escaped(text) + "\n.EE\n")
}

func (p *roff) flags(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.section(title)
	first := true
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Deprecated != "" || f.Hidden {
			return
		}
		if !first {
			p.WriteString("\n.PP\n")
		}
		first = false
		p.WriteString(flagName(f) + "\n\t" + inline(f.Usage) + "\n")
	})
}

// flagName is how a flag is written, with what holds without it.
func flagName(f *pflag.Flag) string {
	name := bold("--" + f.Name)
	if f.Shorthand != "" && f.ShorthandDeprecated == "" {
		name = bold("-"+f.Shorthand) + ", " + name
	}
	value := f.DefValue
	if f.Value.Type() == "string" {
		value = fmt.Sprintf("%q", value)
	}
	value = "=" + value
	if f.NoOptDefVal != "" {
		value = "[" + value + "]"
	}
	return name + escaped(value)
}

func bold(text string) string { return `\fB` + escaped(text) + `\fP` }

// inline writes text, and what stands between backquotes in bold.
func inline(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			b.WriteString(escaped(part))
		} else {
			b.WriteString(`\fB` + escaped(part) + `\fR`)
		}
	}
	return b.String()
}

// escaped keeps man from reading text as its own: backslashes, and lines that begin like a request.
func escaped(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll("\n"+text, "\n.", "\n\\&.")
	return strings.ReplaceAll(text, "\n'", "\n\\&'")[1:]
}
