package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// tape plays keys on a terminal and films what it shows. How long a picture stays is what the script says, not how long
// it took, so that two recordings differ in what the demo model tells and in the time of day only. The first thing that does not come ends it.
type tape struct {
	*terminal
	film    *film
	stills  map[string]*film
	caption string
	err     error
}

// patience is how long the script waits for what must come.
const patience = time.Minute

func start(dir, program string) (*tape, error) {
	t, err := open(dir, program)
	return &tape{terminal: t, film: new(film), stills: map[string]*film{}}, err
}

// firstMinute is the script of the README's picture.
func firstMinute(t *tape) {
	welcome(t)
	t.says("Tab writes the next suggestion")
	for range 5 { // while a turn ends, the key does nothing
		if t.press("\t"); t.soon(func(s screen) bool { return s.has("│ fill the gauge") }) {
			break
		}
	}
	t.hold(1200 * time.Millisecond)
	t.press("\r")
	t.says("The gauge fills as the reply arrives")
	t.follow(200*time.Millisecond, func(s screen) int { return s.share() / 4 }, func(s screen) bool { return s.share() > 85 && !s.has("answering") })
	t.says("Past ▲ older turns are compacted, while you go on")
	t.until(func(s screen) bool { return s.has("Optimizing conversation context…") })
	t.hold(3 * time.Second)
	t.until(func(s screen) bool { return s.has("ctrl+x undo") && s.share() < 50 })
	t.hold(3 * time.Second)
	t.still("compaction")
	t.says("Ctrl+X undoes it: the next request is as before")
	t.press("\x18")
	t.until(func(s screen) bool { return s.share() > 80 && s.has("/redo-compact to redo") })
	t.hold(2500 * time.Millisecond)
	t.says("/redo-compact brings it back")
	t.write("/redo-compact")
	t.press("\r")
	t.until(func(s screen) bool { return s.share() < 50 })
	t.hold(2 * time.Second)
	t.says("Ctrl+T shows the originals next to what is sent")
	t.press("\x14")
	t.until(func(s screen) bool { return s.has("History") })
	t.press("g}")
	t.hold(4 * time.Second)
	t.still("history")
}

// welcome is its beginning: a first question.
func welcome(t *tape) {
	t.says("plimsoll, without a key: the demo model")
	t.until(func(s screen) bool { return s.has("This is the demo model") && s.share() > 0 })
	t.hold(3 * time.Second)
	t.says("1, Enter: what is in this project?")
	t.press("1")
	t.until(func(s screen) bool { return s.has("sends: ") })
	t.hold(1500 * time.Millisecond)
	t.press("\r")
	t.follow(200*time.Millisecond, screen.called, func(s screen) bool { return s.has("Next: let the demo fill the gauge") && !s.has("(esc stops)") })
	t.hold(2500 * time.Millisecond)
}

// says changes the words above the screen.
func (t *tape) says(caption string) { t.caption = caption }

// hold films the screen, once it stands still, for some time.
func (t *tape) hold(shown time.Duration) {
	if t.err != nil {
		return
	}
	limit := time.After(2 * time.Second)
	for {
		s, changed := t.shown()
		select {
		case <-changed:
			continue
		case <-limit:
		case <-time.After(150 * time.Millisecond):
		}
		t.film.add(s, t.caption, shown)
		return
	}
}

// press sends a key.
func (t *tape) press(key string) {
	if t.err == nil {
		t.send(key)
	}
}

// soon reports whether the screen is as wanted within a second.
func (t *tape) soon(wanted func(screen) bool) bool {
	for limit := time.After(time.Second); ; {
		s, changed := t.shown()
		if wanted(s) {
			return true
		}
		select {
		case <-changed:
		case <-limit:
			return false
		}
	}
}

// write types text, letter by letter.
func (t *tape) write(text string) {
	for _, letter := range text {
		t.press(string(letter))
		t.hold(60 * time.Millisecond)
	}
}

// until waits until the screen is as wanted.
func (t *tape) until(wanted func(screen) bool) {
	t.follow(0, func(screen) int { return 0 }, wanted)
}

// follow does, and films the screen whenever a measure of it grows: the speed of the machine changes no picture.
func (t *tape) follow(shown time.Duration, measure func(screen) int, wanted func(screen) bool) {
	if t.err != nil {
		return
	}
	s, changed := t.shown()
	limit := time.After(patience)
	for most := measure(s); !wanted(s); s, changed = t.shown() {
		if n := measure(s); n > most {
			most = n
			t.film.add(s, t.caption, shown)
		}
		select {
		case <-changed:
		case <-t.ended:
			t.err = fmt.Errorf("the program ended while %q:\n%s", t.caption, s.text())
			return
		case <-limit:
			t.err = fmt.Errorf("while %q the screen is still:\n%s", t.caption, s.text())
			return
		}
	}
}

// still keeps the screen as a picture of its own.
func (t *tape) still(name string) {
	if t.err == nil {
		s, _ := t.shown()
		t.stills[name] = new(film)
		t.stills[name].add(s, "", time.Second)
	}
}

// has reports whether a text is on the screen, on one line.
func (s screen) has(text string) bool { return strings.Contains(s.text(), text) }

var percent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`▏ ~?<?(\d+)%`) })

// share is how full the gauge is, in percent; 0 where there is none.
func (s screen) share() int {
	m := percent().FindStringSubmatch(s.text())
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // digits
	return n
}

// called is how many lines tell of a call of a tool.
func (s screen) called() int { return strings.Count(s.text(), "▸ ") }
