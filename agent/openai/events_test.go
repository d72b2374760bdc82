package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// cutReader returns data in pieces of random lengths.
type cutReader struct {
	data []byte
	rng  *rand.Rand
	most int
}

func (c *cutReader) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := min(1+c.rng.IntN(c.most), len(c.data), len(p))
	copy(p, c.data[:n])
	c.data = c.data[n:]
	return n, nil
}

// readEvents returns the events of a body, one a line, and the final error.
func readEvents(src io.Reader) (string, error) {
	var out strings.Builder
	for s := (&eventReader{src: src}); ; {
		next, err := s.next()
		if err == io.EOF {
			return out.String(), nil
		}
		if err != nil {
			return out.String(), err
		}
		out.WriteString(string(rune(next.kind)) + string(next.data) + "\n")
	}
}

// streamBodies returns streams of all kinds, with the captures.
func streamBodies(tb testing.TB) map[string][]byte {
	tb.Helper()
	out := map[string][]byte{
		"mixed": []byte("\xEF\xBB\xBF: hi\r\n\r\nevent: error\rdata: {\"a\":\ndata: 1}\r\n\r\ndata: {}\ndata: {}\n{\"error\":1}\nnoise\nid: 4\n\ndata: {\"cut\""),
		"body":  []byte("\n\n {\"a\":1,\r\n\"b\":2}"), "page": []byte("<html>"), "noise": []byte("hello\nworld"), "bom": []byte("\xEF\xBB"), "empty": nil,
		"done": []byte("data: [DONE]\ndata: [DONE]"), "ping": []byte("event: ping\ndata: 1\n\ndata:\n\n"),
	}
	names, err := filepath.Glob("testdata/captures/*/*.body")
	if err != nil || len(names) == 0 {
		tb.Fatalf("no captures: %v", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		if len(b) < 32<<10 {
			out[name] = b
		}
	}
	return out
}

func TestBrokenConnectionIsNotTheEndOfTheStream(t *testing.T) {
	t.Parallel()
	broken := errors.New("reset")
	for in, want := range map[string]string{
		"data: {}\n\ndata: {\"a":                  "={}\n",
		"data: {}\n\ndata: {}\n":                  "={}\n={}\n",
		"{\"choices\":[]}":                        "",
		"data: {\"half\":\n":                      "",
		"data: {}\n\n: comment that is not whole": "={}\n:\n",
	} {
		out, err := readEvents(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)))
		if out != want || !errors.Is(err, broken) {
			t.Errorf("%q: got %q, %v", in, out, err)
		}
	}
}

func FuzzEvents(f *testing.F) {
	for _, b := range streamBodies(f) {
		f.Add(b, uint64(1))
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64) {
		want, wantErr := readEvents(bytes.NewReader(body))
		got, gotErr := readEvents(&cutReader{data: body, rng: rand.New(rand.NewPCG(seed, 0)), most: 9})
		if want != got || fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
			t.Fatalf("in pieces: %q %v, at once: %q %v", got, gotErr, want, wantErr)
		}
	})
}

// BenchmarkEvents measures reading an event. Budget: 1 us.
func BenchmarkEvents(b *testing.B) {
	body, err := os.ReadFile("testdata/captures/llama-server/ctx-full-midgen.body")
	if err != nil {
		b.Fatal(err)
	}
	events := bytes.Count(body, []byte("data: "))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := readEvents(bytes.NewReader(body)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
}
