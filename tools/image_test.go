package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/permission"
	"plimsoll/tools/picture"
)

// pictureServer answers with ten images, of which the second is none.
type pictureServer struct{ fakeServers }

func (p *pictureServer) Call(context.Context, string, string, json.RawMessage, func(string)) (tools.ServerResult, error) {
	r := tools.ServerResult{Text: "the pages"}
	for range 10 {
		r.Images = append(r.Images, tools.ImageFile{Name: "page", Data: onePNG()})
	}
	r.Images[1].Data = []byte("<svg>")
	return r, nil
}

func onePNG() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))) // writing to a buffer does not fail
	return b.Bytes()
}

func TestImagesOfToolsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.png"), onePNG(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.pdf"), []byte("%PDF-1.7\n<</Type/Pages/Count 3>>"), 0o600); err != nil {
		t.Fatal(err)
	}
	servers := &pictureServer{fakeServers{tools: []tools.ServerTool{serverTool("alpha", "shoot", "")}}}
	b, err := tools.New(tools.Options{Workspace: dir, Environ: []string{}, Servers: servers, Permissions: permission.Config{Mode: conversation.ModeYolo},
		KeepImage: func(ctx context.Context, name string, file []byte) (conversation.Image, error) {
			p, err := picture.Prepare(ctx, file, 100)
			return conversation.Image{Blob: "b", Media: p.Media, Name: name, Width: p.Width, Height: p.Height, Pages: p.Pages}, err
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, want := range []struct {
		name, arguments, text string
		images                int
	}{
		{"read_file", `{"path":"a.png"}`, "a.png: image/png, 79 B\n[a.png 30x20]", 1},
		{"read_file", `{"path":"a.pdf"}`, "a.pdf: application/pdf, 32 B\n[a.pdf 3 pages]", 1},
		{"mcp__alpha__shoot", `{}`, "the pages\n[page 30x20]\n[page: not shown: it is no PNG, JPEG, GIF, WebP or PDF]" +
			"\n[page 30x20]\n[page 30x20]\n[page 30x20]\n[page 30x20]\n[page 30x20]\n[page 30x20]" +
			"\n[page: not shown: a result shows at most 8 images]\n[page: not shown: a result shows at most 8 images]", 7},
	} {
		out := b.Run(t.Context(), conversation.ToolCall{Name: want.name, Arguments: want.arguments}, nil)
		if out.Status != conversation.ResultOK || out.Text != want.text || len(out.Images) != want.images {
			t.Errorf("%s: %+v", want.name, out)
		}
	}
}
