package jsonl_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
)

func TestImagesOfARecordingAreKept(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1500, 1000))); err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(b.Bytes())
	doc, _, err := jsonl.Read(strings.NewReader(`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}},` +
		`{"type":"image","source":{"type":"base64","data":"` + data + `"}},{"type":"input_image","image_url":"data:image/png;base64,` + data + `"},{"type":"image_url","image_url":{"url":"https://x"}}]}
{"role":"assistant","content":"seen"}
`))
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	log, err := doc.Events(jsonl.Options{MaxChars: -1, Keep: func(text string) (string, error) {
		kept++
		return "blob", nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log {
		m, ok := e.Body.(conversation.UserMessage)
		if !ok {
			continue
		}
		if m.Text != "look\n\n[image_url]" || len(m.Images) != 3 || m.Size.Images.Pixels != 3*1500*1000 || m.Images[0].Blob != "blob" || kept != 3 {
			t.Errorf("%+v, %d kept", m, kept)
		}
		return
	}
	t.Error("there is no message")
}
