package openai

import (
	"testing"
	"testing/synctest"
	"time"
)

// slowBody is a body that gets a byte at intervals; a read returns all that have arrived.
type slowBody struct {
	every time.Duration
	next  time.Time // when the oldest byte that was not read comes
	reads int
	late  time.Duration // of a byte, at most
}

func (d *slowBody) Read(p []byte) (int, error) {
	time.Sleep(time.Until(d.next))
	d.late = max(d.late, time.Since(d.next))
	d.reads++
	n := min(len(p), int(time.Since(d.next)/d.every)+1)
	d.next = d.next.Add(time.Duration(n) * d.every)
	return n, nil
}

func TestSlowStreamIsReadInFewChunks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		every time.Duration
		most  int // reads in ten seconds
	}{
		"a model that speaks": {5 * time.Millisecond, 530},
		"a model that thinks": {200 * time.Millisecond, 51},
		"a model in a hurry":  {time.Millisecond, 610},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &slowBody{every: c.every, next: time.Now()}
				g, buf := &batchedBody{ctx: t.Context(), src: d}, make([]byte, fastBytes)
				for began := time.Now(); time.Since(began) < 10*time.Second; {
					if _, err := g.Read(buf); err != nil {
						t.Fatal(err)
					}
				}
				if d.reads > c.most {
					t.Errorf("%d reads in ten seconds, more than %d", d.reads, c.most)
				}
				if d.late > batchTime {
					t.Errorf("a byte was read %v after it came", d.late)
				}
			})
		})
	}
}
