package session

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/picture"
)

// An image is attached by its path: one in the workspace, or any other that the user names by an absolute path or with ~. It is
// scaled once, to what the model in use looks at, and kept as a blob of the conversation. A PDF is kept as it is.

// AttachImage reads, scales and stores an image.
func (r *Running) AttachImage(ctx context.Context, name string) (conversation.Image, error) {
	f, err := openImage(r.Agents.Settings.Workspace, name)
	if err != nil {
		return conversation.Image{}, err
	}
	defer f.Close()
	file, err := io.ReadAll(io.LimitReader(f, picture.MaxBytes+1))
	if err != nil {
		return conversation.Image{}, err
	}
	return r.keepImage(ctx, name, file)
}

// keepImage scales an image for the model in use, and stores it.
func (r *Running) keepImage(ctx context.Context, name string, file []byte) (conversation.Image, error) {
	model := r.Current().Model
	p, err := picture.Prepare(ctx, file, r.imageSide(model))
	if err != nil {
		return conversation.Image{}, err
	}
	m := conversation.Image{Media: p.Media, Name: name, Width: p.Width, Height: p.Height, Pages: p.Pages, Bytes: len(p.Data)}
	m.Tokens = imageTokens(model, m)
	m.Blob, err = r.Writer.PutBlob(ctx, base64.StdEncoding.EncodeToString(p.Data))
	return m, err
}

// ImageInfo is an image that is not attached yet.
type ImageInfo struct {
	Size conversation.ImageSize // as it would be sent
	Text string                 // "4000x3000, 2.1 MB, ~1,105 tokens" or "12 pages, ...", and what the model makes of it
}

// LookAtImage reads the size of an image from its header, or counts the pages of a PDF. r may be nil. The error says why it cannot be attached.
func (r *Running) LookAtImage(workspace, name string) (ImageInfo, error) {
	f, err := openImage(workspace, name)
	if err != nil {
		return ImageInfo{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return ImageInfo{}, err
	}
	var w, h, pages int
	if pdf := strings.EqualFold(filepath.Ext(name), ".pdf"); pdf {
		var file []byte
		if file, err = io.ReadAll(io.LimitReader(f, picture.MaxPDF+1)); err == nil {
			pages, err = picture.Pages(file)
		}
	} else {
		w, h, err = picture.Size(f)
	}
	if err != nil {
		return ImageInfo{}, err
	}
	var model llm.Model
	if r != nil {
		model = r.Current().Model
	}
	sent, size := conversation.Image{}, fmt.Sprintf("%dx%d", w, h)
	if sent.Width, sent.Height = picture.Fit(w, h, r.imageSide(model)); pages > 0 {
		sent, size = conversation.Image{Media: conversation.MediaPDF, Pages: pages}, numbers.Count(pages, "page")
	}
	info := ImageInfo{sent.Size(), fmt.Sprintf("%s, %s, ~%s tokens", size, numbers.Bytes(st.Size()), numbers.Grouped(imageTokens(model, sent)))}
	if model.ID != "" && (model.Caps.NoImages || pages > 0 && !model.Caps.PDFs) {
		info.Text = "✗ " + model.Name() + " takes no " + sent.What() + "s; /model " +
			strings.Join(r.Agents.Providers.Seeing(model.Provider, pages > 0), ", ") + " see it; only the name is sent · " + info.Text
	}
	return info, nil
}

// imageSide is the longest side of an image that is attached, in pixels.
func (r *Running) imageSide(m llm.Model) int {
	if r != nil {
		if side := r.Config().Images.MaxSide; side > 0 {
			return side
		}
	}
	return m.Images.MaxSide()
}

// imageTokens counts an image by the model's rule; for one without eyes by the rule that it would have.
func imageTokens(m llm.Model, image conversation.Image) int {
	rule := m.Images
	rule.Pages = true
	return int(math.Ceil(rule.Tokens(image.Size())))
}

// openImage opens the file of an image: only regular files of a bearable size.
func openImage(workspace, name string) (*os.File, error) {
	stat, open := os.Stat, os.Open
	path := name
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		root, err := os.OpenRoot(workspace)
		if err != nil {
			return nil, fmt.Errorf("opening the workspace: %w", err)
		}
		defer root.Close()
		stat, open = root.Stat, root.Open
	}
	st, err := stat(path)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%w: not a file", fs.ErrInvalid)
	case st.Size() > picture.MaxBytes:
		return nil, fmt.Errorf("it is larger than %d MB", picture.MaxBytes>>20)
	}
	return open(path)
}

// AttachImages attaches the images that a prompt mentions with @, and returns what follows the prompt. A word that names no file
// is text.
func (r *Running) AttachImages(ctx context.Context, prompt string) (attached string, notes []string, err error) {
	var images []conversation.Image
	seen := map[string]bool{}
	for _, name := range conversation.Mentions(prompt) {
		if !conversation.IsImage(name) || seen[name] {
			continue
		}
		seen[name] = true
		info, err := r.LookAtImage(r.Agents.Settings.Workspace, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var m conversation.Image
		if err == nil {
			m, err = r.AttachImage(ctx, name)
		}
		if err != nil {
			return "", nil, fmt.Errorf("@%s: %w", conversation.OneLine(name, 120), err)
		}
		images, notes = append(images, m), append(notes, "attached "+conversation.OneLine(name, 120)+": "+info.Text)
	}
	return conversation.FormatImages(images...), notes, nil
}
