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

// reader takes updates at the pace of a screen, and records when each piece of text was put and taken.
type reader struct {
	box  *updates.Mailbox
	pace Pace

	mu    sync.Mutex  // guards what follows
	put   []time.Time // of each "x"
	late  time.Duration
	takes int
	text  string
}

// withReader runs a test in a synctest bubble, with a reader that has taken updates once.
func withReader(t *testing.T, test func(*reader)) {
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
				r.noteTaken(list)
			}
		}()
		r.putText("")
		test(r)
		stop()
		<-done
	})
}

func (r *reader) noteTaken(list []updates.Update) {
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

// frames returns how often updates were taken, and how much text was not.
func (r *reader) frames() (frames, unread int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.takes, len(r.put)
}

// putText puts text, and waits for the effects.
func (r *reader) putText(text string) {
	r.mu.Lock()
	for range strings.Count(text, "x") {
		r.put = append(r.put, time.Now())
	}
	r.mu.Unlock()
	r.box.Put(updates.Delta{Text: text})
	synctest.Wait()
}

// wait lets time pass, and waits for the effects.
func (r *reader) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// stream puts words at 200 a second, with a line break after so many, or without if line is 0.
func (r *reader) stream(d time.Duration, line int) (frames int) {
	before, _ := r.frames()
	for n := range int(d / (5 * time.Millisecond)) {
		text := "x"
		if line > 0 && n%line == line-1 {
			text = "x\n"
		}
		r.wait(5 * time.Millisecond)
		r.putText(text)
	}
	now, _ := r.frames()
	return now - before
}

func TestTextIsShownAsOftenAsAReaderCanUse(t *testing.T) {
	for name, line := range map[string]int{"a long paragraph": 0, "lines of prose": 15, "short lines": 4} {
		t.Run(name, func(t *testing.T) {
			withReader(t, func(r *reader) {
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
	withReader(t, func(r *reader) {
		r.wait(time.Second)
		r.putText("x")
		r.wait(lineGap)
		before, _ := r.frames()
		r.putText("x")
		if now, _ := r.frames(); now != before {
			t.Error("half a line was shown at once")
		}
		r.putText("x\n")
		if now, _ := r.frames(); now != before+1 {
			t.Error("a complete line waits")
		}
	})
}

func TestUpdatesWithoutTextAreShownAtOnce(t *testing.T) {
	withReader(t, func(r *reader) {
		r.putText("x")
		before, _ := r.frames()
		r.box.Put(updates.Status{Phase: updates.Running})
		synctest.Wait()
		if now, unread := r.frames(); now != before+1 || unread > 0 {
			t.Error("a change of the status, or the text before it, waits")
		}
	})
}

func TestTextIsShownAtTheFullRateAfterAKey(t *testing.T) {
	withReader(t, func(r *reader) {
		frames := 0
		for range 10 {
			r.pace.NoteInput()
			synctest.Wait()
			frames += r.stream(inputPeriod, 0)
		}
		if frames < 120 {
			t.Errorf("%d frames in three seconds of keys", frames)
		}
		r.wait(inputPeriod)
		if frames := r.stream(time.Second, 0); frames > 24 {
			t.Errorf("%d frames in the second after them", frames)
		}
	})
}

func TestFewFramesWithoutFocus(t *testing.T) {
	withReader(t, func(r *reader) {
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

func TestNoFrameIsDrawnWithoutUpdates(t *testing.T) {
	withReader(t, func(r *reader) {
		before, _ := r.frames()
		r.wait(time.Minute)
		if now, _ := r.frames(); now != before {
			t.Errorf("%d frames of nothing", now-before)
		}
	})
}
