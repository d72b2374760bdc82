package terminal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"
)

// clipboardWait is how long a program that reads the clipboard may take.
const clipboardWait = 5 * time.Second

// Clipboard reads the system's clipboard by its own programs.
type Clipboard struct {
	System string // as GOOS names it; "": this one
	Env    func(string) string
	// Run returns what a program writes, up to a number of bytes; nil runs it. The error is [exec.ErrNotFound] if there is none.
	Run func(ctx context.Context, most int64, argv []string) ([]byte, error)
}

// programs are those that write the image in the clipboard, the first choice first.
func (c Clipboard) programs() (argv [][]string, toInstall string) {
	system := cmp.Or(c.System, runtime.GOOS)
	switch {
	case system == "darwin":
		return [][]string{{"pngpaste", "-"}, {"osascript", "-e", "get the clipboard as «class PNGf»"}}, "pngpaste"
	case system == "windows":
	case c.Env("WAYLAND_DISPLAY") != "":
		return [][]string{{"wl-paste", "--no-newline", "--type", "image/png"}, {"xclip", "-selection", "clipboard", "-t", "image/png", "-o"}}, "wl-clipboard"
	case c.Env("DISPLAY") != "":
		return [][]string{{"xclip", "-selection", "clipboard", "-t", "image/png", "-o"}}, "xclip"
	case c.Env("WSL_DISTRO_NAME") == "":
		return nil, ""
	}
	const script = "Add-Type -AssemblyName System.Windows.Forms; $i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object IO.MemoryStream; " +
		"$i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [BitConverter]::ToString($m.ToArray()).Replace('-', '') }"
	return [][]string{{"powershell.exe", "-NoProfile", "-STA", "-Command", script}}, "PowerShell"
}

// Image returns the image in the clipboard as a PNG of at most so many bytes. The error says what is missing.
func (c Clipboard) Image(ctx context.Context, most int64) ([]byte, error) {
	programs, toInstall := c.programs()
	if programs == nil {
		return nil, errors.New("the clipboard cannot be read here, without a desktop; mention the file of the image with @, or drop it on the terminal")
	}
	run := c.Run
	if run == nil {
		run = output
	}
	ctx, cancel := context.WithTimeout(ctx, clipboardWait)
	defer cancel()
	for _, argv := range programs {
		out, err := run(ctx, 2*most+64, argv)
		if errors.Is(err, exec.ErrNotFound) {
			continue
		}
		if image := decoded(out); err == nil && len(image) > 0 {
			if int64(len(image)) > most {
				return nil, fmt.Errorf("the image in the clipboard is larger than %d MB", most>>20)
			}
			return image, nil
		}
		return nil, errors.New("there is no image in the clipboard")
	}
	return nil, fmt.Errorf("reading an image from the clipboard needs %s: install it, or mention the file of the image with @", toInstall)
}

// decoded is a PNG as programs write it: itself, or in hexadecimal (AppleScript: «data PNGf89504E...»).
func decoded(out []byte) []byte {
	const begin = "89504E47"
	if bytes.HasPrefix(out, []byte("\x89PNG")) {
		return out
	}
	at := bytes.Index(out, []byte(begin))
	if at < 0 {
		return nil
	}
	text := out[at:]
	if end := bytes.IndexFunc(text, func(r rune) bool { return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'F') }); end >= 0 {
		text = text[:end]
	}
	image := make([]byte, hex.DecodedLen(len(text)))
	n, _ := hex.Decode(image, text) // what is left of a cut text is no image, and says so when it is decoded
	return image[:n]
}

// output runs a program and returns the beginning of what it writes.
func output(ctx context.Context, most int64, argv []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	out, readErr := io.ReadAll(io.LimitReader(pipe, most))
	_, _ = io.Copy(io.Discard, pipe) // ends with the program or its time
	return out, errors.Join(readErr, cmd.Wait())
}
