// Figures in the prose of documents are those of the program. A figure has a mark behind it, which no reader sees:
//
//	after 15<!-- tui.slow --> seconds
//
// The mark names the package and the constant; a mark with an index names one value of a list. The words around the figure
// may change as they like.

package main_test

import (
	"go/ast"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// figureWords are figures that documents write as words.
var figureWords = map[string]float64{
	"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "thirty": 30, "half": 0.5, "quarter": 0.25, "fifth": 0.2, "eighth": 0.125,
}

// markedFigure is a figure, up to four words behind it, and its mark.
var markedFigure = regexp.MustCompile(`(?:(\d[\d,]*(?:\.\d+)?)(%)?|\b(` + alternatives() + `)\b)((?:\s+\pL+){0,4})<!-- (\w+\.\w+)(?:\[(\d)\])? -->`)

func alternatives() string {
	var words []string
	for word := range figureWords {
		words = append(words, word)
	}
	return strings.Join(words, "|")
}

func TestDocumentsTellTheFiguresOfTheProgram(t *testing.T) {
	t.Parallel()
	literals, found := literalsOf(t), 0
	for _, m := range regexp.MustCompile(`o\.(Limit|PerConversation) = (\d+)`).FindAllStringSubmatch(read(t, "storage/search.go"), -1) {
		literals["storage."+m[1]] = m[2]
	}
	for _, document := range documents(t) {
		text := read(t, document)
		figures := markedFigure.FindAllStringSubmatch(text, -1)
		for _, m := range figures {
			found++
			told := figureWords[m[3]]
			if m[1] != "" {
				told, _ = strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64) // a figure by the pattern
			}
			if m[2] != "" {
				told /= 100
			}
			if want, ok := valueOf(literals[m[5]], m[6]); !ok || told < want*0.999 || told > want*1.001 {
				t.Errorf("%s says %s%s%s; %s holds %q", document, m[1], m[2], m[3], m[5], literals[m[5]])
			}
		}
		if marks := regexp.MustCompile(`<!-- \w+\.\w+(\[\d\])? -->`).FindAllString(text, -1); len(marks) != len(figures) {
			t.Errorf("%s has %d marks behind figures, of which %d can be read", document, len(marks), len(figures))
		}
	}
	if found < 20 {
		t.Errorf("only %d figures were found: this test cannot read the documents", found)
	}
}

// valueOf is the value of a constant: the product of its numbers, or one of a list.
func valueOf(literals, index string) (float64, bool) {
	numbers := strings.Fields(literals)
	if i, err := strconv.Atoi(index); err == nil && i < len(numbers) {
		numbers = numbers[i : i+1]
	}
	product := 1.0
	for _, n := range numbers {
		v, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return 0, false
		}
		product *= v
	}
	return product, len(numbers) > 0
}

// literalsOf gives the numbers in the values of all constants and variables of packages, by package.Name.
func literalsOf(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				values, ok := spec.(*ast.ValueSpec)
				if !ok || len(values.Names) != len(values.Values) {
					continue
				}
				for i, name := range values.Names {
					found[s.file.Name.Name+"."+name.Name] = numbersIn(values.Values[i])
				}
			}
		}
	}
	return found
}

// numbersIn is the numbers of an expression, in their order.
func numbersIn(x ast.Expr) string {
	var out []string
	ast.Inspect(x, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok {
			out = append(out, strings.ReplaceAll(lit.Value, "_", ""))
		}
		return true
	})
	return strings.Join(out, " ")
}
