package shell

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCaptureKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		half := 1 + random.IntN(50)
		c := newCapture(2*half, nil)
		var all []byte
		read := int64(0)
		for range random.IntN(20) {
			p := make([]byte, random.IntN(80))
			for i := range p {
				p[i] = 'a' + byte(random.IntN(26))
			}
			all = append(all, p...)
			if n, err := c.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
			if random.IntN(4) == 0 {
				fresh, next := c.since(read)
				if next != int64(len(all)) || !strings.HasSuffix(string(all), fresh[strings.LastIndexByte(fresh, '\n')+1:]) {
					t.Fatalf("since %d: %q of %q", read, fresh, all)
				}
				if int(next-read) <= half && fresh != string(all[read:]) {
					t.Fatalf("since %d: %q, want %q", read, fresh, all[read:])
				}
				read = next
			}
		}
		got, _ := c.since(0)
		if len(all) <= 2*half {
			if got != string(all) {
				t.Fatalf("half %d: %q, want %q", half, got, all)
			}
			continue
		}
		if !strings.HasPrefix(got, string(all[:half])+"\n[... ") || !strings.HasSuffix(got, " ...]\n"+string(all[len(all)-half:])) {
			t.Fatalf("half %d: %q of %q", half, got, all)
		}
	}
}
