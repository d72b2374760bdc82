package screen

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/agent/updates"
)

// reader takes updates at a pace, and notes when each piece of text was put and taken.
type reader struct {
	box  *updates.Mailbox
	pace Pace

	mu    sync.Mutex  // guards what follows
	put   []time.Time // of each "x"
	late  time.Duration
	takes int
	text  string
}

// reading runs test in a bubble of its own time, with a reader that has taken once.
func reading(t *testing.T, test func(*reader)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		r := &reader{box: updates.NewMailbox()}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				list, err := r.pace.take(ctx, r.box)
				if err != nil {
					return
				}
				r.taken(list)
			}
		}()
		r.tell("")
		test(r)
		stop()
		<-done
	})
}

func (r *reader) taken(list []updates.Update) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.takes++
	for _, u := range list {
		if d, ok := u.(updates.Delta); ok {
			r.text += d.Text
		}
	}
	n := strings.Count(r.text, "x")
	for _, at := range r.put[:n] {
		r.late = max(r.late, time.Since(at))
	}
	r.put, r.text = r.put[n:], strings.ReplaceAll(r.text, "x", "")
}

// frames is how often updates were taken, and unread how much was not.
func (r *reader) frames() (frames, unread int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.takes, len(r.put)
}

// tell puts text, and lets what follows from it happen.
func (r *reader) tell(text string) {
	r.mu.Lock()
	for range strings.Count(text, "x") {
		r.put = append(r.put, time.Now())
	}
	r.mu.Unlock()
	r.box.Put(updates.Delta{Text: text})
	synctest.Wait()
}

// pass lets time pass, and what happens then happen.
func (r *reader) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// stream tells words at 200 a second, with a line break behind so many, 0 for none.
func (r *reader) stream(d time.Duration, line int) (frames int) {
	before, _ := r.frames()
	for n := range int(d / (5 * time.Millisecond)) {
		text := "x"
		if line > 0 && n%line == line-1 {
			text = "x\n"
		}
		r.pass(5 * time.Millisecond)
		r.tell(text)
	}
	now, _ := r.frames()
	return now - before
}

func TestTextIsShownAsOftenAsAReaderCanUse(t *testing.T) {
	for name, line := range map[string]int{"a long paragraph": 0, "lines of prose": 15, "short lines": 4} {
		t.Run(name, func(t *testing.T) {
			reading(t, func(r *reader) {
				if frames := r.stream(10*time.Second, line); frames < 150 || frames > 350 {
					t.Errorf("%d frames in ten seconds", frames)
				}
				if r.late > 80*time.Millisecond {
					t.Errorf("text was shown %v after it came", r.late)
				}
			})
		})
	}
}

func TestACompleteLineIsShownAtOnce(t *testing.T) {
	reading(t, func(r *reader) {
		r.pass(time.Second)
		r.tell("x")
		r.pass(lineGap)
		before, _ := r.frames()
		r.tell("x")
		if now, _ := r.frames(); now != before {
			t.Error("half a line was shown at once")
		}
		r.tell("x\n")
		if now, _ := r.frames(); now != before+1 {
			t.Error("a complete line waits")
		}
	})
}

func TestWhatIsNoTextIsShownAtOnce(t *testing.T) {
	reading(t, func(r *reader) {
		r.tell("x")
		before, _ := r.frames()
		r.box.Put(updates.Status{Phase: updates.Running})
		synctest.Wait()
		if now, unread := r.frames(); now != before+1 || unread > 0 {
			t.Error("a change of the status, or the text before it, waits")
		}
	})
}

func TestTextComesAtFullRateAfterAKey(t *testing.T) {
	reading(t, func(r *reader) {
		frames := 0
		for range 10 {
			r.pace.NoteInput()
			synctest.Wait()
			frames += r.stream(inputPeriod, 0)
		}
		if frames < 120 {
			t.Errorf("%d frames in three seconds of keys", frames)
		}
		r.pass(inputPeriod)
		if frames := r.stream(time.Second, 0); frames > 24 {
			t.Errorf("%d frames in the second after them", frames)
		}
	})
}

func TestFewFramesWithoutFocus(t *testing.T) {
	reading(t, func(r *reader) {
		r.pace.SetFocus(false)
		if frames := r.stream(10*time.Second, 4); frames > 21 {
			t.Errorf("%d frames in ten seconds without focus", frames)
		}
		r.stream(100*time.Millisecond, 0)
		r.pace.SetFocus(true)
		synctest.Wait()
		if _, unread := r.frames(); unread > 0 {
			t.Error("text waits although the terminal has the focus again")
		}
	})
}

func TestNoFrameWhereNothingCame(t *testing.T) {
	reading(t, func(r *reader) {
		before, _ := r.frames()
		r.pass(time.Minute)
		if now, _ := r.frames(); now != before {
			t.Errorf("%d frames of nothing", now-before)
		}
	})
}
