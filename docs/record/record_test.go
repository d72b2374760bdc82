package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/cli"
)

// TestMain lets the test binary be plimsoll as well.
func TestMain(m *testing.M) {
	if os.Getenv(recorded) == "" {
		os.Exit(m.Run())
	}
	dir, err := os.Getwd()
	if err != nil {
		os.Exit(1)
	}
	os.Exit(cli.Run(context.Background(), cli.Env{Args: os.Args[1:], Lookup: os.LookupEnv, Environ: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: "0.0.0-test"}))
}

// mostBytes is how large a picture may be: one that a page loads at once.
const mostBytes = 400_000

// wellFormed checks a picture as a browser would that runs no scripts and loads nothing.
func wellFormed(t *testing.T, name string, picture []byte) {
	t.Helper()
	if len(picture) > mostBytes {
		t.Errorf("%s has %d bytes", name, len(picture))
	}
	var ids, used []string
	d := xml.NewDecoder(bytes.NewReader(picture))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s is not well-formed: %v", name, err)
		}
		tag, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains([]string{"svg", "style", "rect", "circle", "defs", "g", "use", "text", "path"}, tag.Name.Local) {
			t.Errorf("%s has a <%s>", name, tag.Name.Local)
		}
		for _, a := range tag.Attr {
			switch a.Name.Local {
			case "id":
				ids = append(ids, a.Value)
			case "href":
				used = append(used, strings.TrimPrefix(a.Value, "#"))
			}
		}
	}
	for _, id := range used {
		if !slices.Contains(ids, id) {
			t.Errorf("%s uses %s, which it does not have", name, id)
		}
	}
	if bytes.Contains(picture, []byte("url(")) || bytes.Contains(picture, []byte("@import")) || bytes.Count(picture, []byte("://")) != 1 {
		t.Errorf("%s needs something from elsewhere", name)
	}
}

// The beginning of the script, on the program as it is.
func TestTheScriptRecordsTheProgram(t *testing.T) {
	t.Parallel()
	tape, err := start(t.TempDir(), os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer tape.stop()
	welcome(tape)
	tape.press("\t")
	tape.hold(time.Second)
	tape.still("end")
	if tape.err != nil {
		t.Fatal(tape.err)
	}
	moving := tape.film.svg("first minute")
	wellFormed(t, "the recording", moving)
	if len(tape.film.frames) < 4 || tape.film.length < 8*time.Second {
		t.Errorf("%d pictures in %v were recorded", len(tape.film.frames), tape.film.length)
	}
	still := tape.stills["end"].svg("end")
	wellFormed(t, "the still", still)
	if bytes.Contains(still, []byte("@keyframes")) || !bytes.Contains(moving, []byte("@keyframes")) {
		t.Error("the still moves, or the recording does not")
	}
	for _, text := range []string{"This is the demo model: not an AI.", "A small program that counts ships."} {
		if !bytes.Contains(moving, []byte(text)) {
			t.Errorf("the recording does not show %q", text)
		}
	}
}

func TestTheScriptSaysWhatDoesNotCome(t *testing.T) {
	t.Parallel()
	tape, err := start(t.TempDir(), os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	tape.until(func(s screen) bool { return s.has("This is the demo model") })
	tape.says("leaving")
	tape.press("\x04")
	tape.until(func(screen) bool { return false })
	tape.stop()
	if tape.err == nil || !strings.Contains(tape.err.Error(), `ended while "leaving"`) {
		t.Errorf("of a program that ended it says: %v", tape.err)
	}
}

func TestPicturesOfTheDocumentsStandAlone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"first-minute", "compaction", "history"} {
		picture, err := os.ReadFile(filepath.Join("..", "images", name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, name, picture)
	}
}

// Cells become runs: text keeps its place and what would end the document is escaped.
func TestRowsAreDrawnInTheirPlace(t *testing.T) {
	t.Parallel()
	l := look{ink: "#ffffff", paper: hex(paper)}
	var row []cell
	for _, text := range []string{" ", " ", "a", "<", "&", " ", "█", "█", "─", "x"} {
		row = append(row, cell{text, l})
	}
	got := new(film).drawn(row)
	want := `<text class="l0" x="16.8" y="13" textLength="25.2">a&lt;&amp;</text>` +
		`<path fill="#ffffff" d="M50.4 0h16.8v18h-16.8z"/><path class="s" stroke="#ffffff" d="M67.2 9h8.4"/>` +
		`<text class="l0" x="75.6" y="13">x</text>`
	if got != want {
		t.Errorf("it is drawn as\n%s\nnot\n%s", got, want)
	}
}
