package e2e_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi/kitty"
)

var (
	transmission = regexp.MustCompile(`\x1b_G([^;\x1b]*);([A-Za-z0-9+/=]*)\x1b\\`)
	pictureCell  = string([]rune{kitty.Placeholder, kitty.Diacritic(1), kitty.Diacritic(2)})
)

// TestAnImageIsDrawnWhereTheTerminalCan sends an image that is mentioned and reads another by a tool: a terminal that answers the query is
// sent both as pictures, and tmux shows their lines alone.
func TestAnImageIsDrawnWhereTheTerminalCan(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{
		"kitty": {"TERM": "xterm-kitty"},
		"tmux":  {"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newSandbox(t, nil)
			for key, value := range env {
				p.env[key] = value
			}
			shot := image.NewNRGBA(image.Rect(0, 0, 300, 200))
			for i := range shot.Pix {
				shot.Pix[i] = 0xC0
			}
			var file bytes.Buffer
			if err := png.Encode(&file, shot); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(p.work, "shot.png"), file.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			s := newServer(t, callReply("c1", "read_file", object{"path": "shot.png"}), textReply("A gray one."))
			term := p.startChat(size{100, 50}, s)
			term.sendMessage("see @shot.png ")
			screen := term.awaitIdle("A gray one.", "▣ shot.png 300x200 · ", " tokens")
			if strings.Count(screen.text, "▣ shot.png 300x200") != 2 {
				t.Errorf("the screen is\n%s", screen.text)
			}
			if last := s.request(-1); strings.Count(last, "data:image/png;base64,") != 2 {
				t.Errorf("the request is %.2000s", last)
			}
			if name == "tmux" {
				if strings.Contains(term.written(), "\x1b_G") {
					t.Error("tmux is sent graphics")
				}
				return
			}
			term.awaitText(pictureCell)
			data := ""
			for _, m := range transmission.FindAllStringSubmatch(term.written(), -1) {
				if !strings.Contains(m[1], "a=q") {
					data += m[2]
				}
			}
			raw, err := base64.StdEncoding.DecodeString(data)
			if err != nil {
				t.Fatal(err)
			}
			m, err := png.Decode(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			if b := m.Bounds(); b.Dx() != 300 || b.Dy() != 200 || m.At(150, 100) != shot.At(150, 100) && color.NRGBAModel.Convert(m.At(150, 100)) != shot.At(150, 100) {
				t.Errorf("%v with %v in the middle", b, m.At(150, 100))
			}
		})
	}
}
