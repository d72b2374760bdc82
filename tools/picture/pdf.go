package picture

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"
)

// A PDF is not rendered and not changed: its pages are counted. Their number is that of the largest tree of pages in the file, or
// else that of the pages in it; both may stand in compressed streams of objects. A password is refused, as by the providers.

// Limits of a PDF: in base64 a file stays below the 32 MB that a request may have.
const (
	MaxPDF      = 20 << 20
	MaxPages    = 100      // of Anthropic, for a window of 200k
	maxUnpacked = 64 << 20 // bytes of streams that are looked through
	maxStreams  = 10_000
	maxTrees    = 2000
	// maxDictionary is how far a dictionary is followed, in bytes: the list of a thousand pages fits.
	maxDictionary = 16 << 10
)

// patterns of a PDF: a page or a tree of pages, the number of pages in a tree, and the beginning of a stream of objects.
var patterns = sync.OnceValue(func() (p struct{ page, count, objects, data, locked *regexp.Regexp }) {
	p.page = regexp.MustCompile(`/Type\s*/Page(s?)[^A-Za-z]`)
	p.count = regexp.MustCompile(`/Count\s+([0-9]{1,7})`)
	p.objects = regexp.MustCompile(`/Type\s*/ObjStm`)
	p.data = regexp.MustCompile(`>>\s*stream\r?\n`)
	p.locked = regexp.MustCompile(`/Encrypt\s+[0-9<]`)
	return p
})

// Pages counts the pages of a PDF. The error says why it cannot be attached.
func Pages(file []byte) (int, error) {
	p := patterns()
	switch {
	case len(file) > MaxPDF:
		return 0, fmt.Errorf("a PDF of more than %d MB does not fit into a request", MaxPDF>>20)
	case p.locked.Match(file):
		return 0, errors.New("it is encrypted")
	}
	var c counted
	c.add(file)
	left := int64(maxUnpacked)
	for rest, streams := file, 0; left > 0 && streams < maxStreams; streams++ {
		at := p.objects.FindIndex(rest)
		if at == nil {
			break
		}
		rest = rest[at[1]:]
		if at = p.data.FindIndex(rest); at == nil {
			break
		}
		rest = rest[at[1]:]
		if r, err := zlib.NewReader(bytes.NewReader(rest)); err == nil {
			objects, _ := io.ReadAll(io.LimitReader(r, left)) // of a damaged stream, what is before the damage
			left -= int64(len(objects))
			c.add(objects)
		}
	}
	n := c.inTree
	n = cmp.Or(n, c.pages)
	switch {
	case n == 0:
		return 0, errors.New("it has no pages, or is damaged")
	case n > MaxPages:
		return 0, fmt.Errorf("it has %d pages, and %d are the most", n, MaxPages)
	}
	return n, nil
}

// counted is what was found in a PDF.
type counted struct {
	inTree int // pages of the largest tree
	pages  int
	trees  int
}

// add looks for pages, and trees of them, among objects.
func (c *counted) add(objects []byte) {
	p := patterns()
	for from := 0; c.trees < maxTrees; {
		at := p.page.FindSubmatchIndex(objects[from:])
		if at == nil {
			break
		}
		isTree := at[2] < at[3]
		if !isTree {
			c.pages++
		} else if m := p.count.FindSubmatch(dictionary(objects, from+at[0])); m != nil {
			n, _ := strconv.Atoi(string(m[1])) // of at most seven digits
			c.inTree = max(c.inTree, n)
		}
		if from += at[1]; isTree {
			c.trees++
		}
	}
}

// dictionary returns the text around a place between << and >>, without nested ones, up to maxDictionary bytes to each side.
func dictionary(objects []byte, at int) (own []byte) {
	begin := at
	for depth := 0; begin > max(1, at-maxDictionary) && depth >= 0; begin-- {
		switch string(objects[begin-2 : begin]) {
		case ">>":
			depth, begin = depth+1, begin-1
		case "<<":
			depth, begin = depth-1, begin-1
		}
	}
	for i, depth := begin+2, 0; i+1 < min(len(objects), at+maxDictionary) && depth >= 0; i++ {
		switch pair := string(objects[i : i+2]); {
		case pair == "<<":
			depth, i = depth+1, i+1
		case pair == ">>":
			depth, i = depth-1, i+1
		case depth == 0:
			own = append(own, objects[i])
		}
	}
	return own
}
