package picture_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"plimsoll/tools/picture"
)

// photo draws a picture with the corner at the left top red.
func photo(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, color.NRGBA{uint8(x * 255 / w), uint8(y * 255 / h), uint8(x ^ y), 255})
		}
	}
	for y := range max(1, h/8) {
		for x := range max(1, w/8) {
			m.SetNRGBA(x, y, color.NRGBA{R: 255, A: 255})
		}
	}
	return m
}

func encoded(t *testing.T, format string, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "gif":
		err = gif.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func prepare(t *testing.T, file []byte, side int) (picture.Picture, image.Image) {
	t.Helper()
	p, err := picture.Prepare(t.Context(), file, side)
	if err != nil {
		t.Fatal(err)
	}
	m, format, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil || "image/"+format != p.Media {
		t.Fatalf("%s is %s: %v", p.Media, format, err)
	}
	if b := m.Bounds(); b.Dx() != p.Width || b.Dy() != p.Height {
		t.Fatalf("it is %v, and said to be %dx%d", b, p.Width, p.Height)
	}
	return p, m
}

func TestLargeImagesAreScaledToTheSide(t *testing.T) {
	t.Parallel()
	for format, media := range map[string]string{"png": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/png"} {
		p, m := prepare(t, encoded(t, format, photo(400, 300)), 200)
		if p.Width != 200 || p.Height != 150 {
			t.Errorf("%s: %dx%d", format, p.Width, p.Height)
		}
		if r, g, _, _ := m.At(5, 5).RGBA(); r < 0xC000 || g > 0x4000 {
			t.Errorf("%s: the red corner is gone", format)
		}
		if format == "jpeg" && p.Media != media {
			t.Errorf("%s became %s", format, p.Media)
		}
	}
}

func TestSmallPicturesKeepTheirPixels(t *testing.T) {
	t.Parallel()
	file := encoded(t, "png", photo(64, 48))
	if p, _ := prepare(t, file, 600); !bytes.Equal(p.Data, file) {
		t.Error("a small PNG was encoded again")
	}
}

func TestWebPIsDecoded(t *testing.T) {
	t.Parallel()
	file, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4TAYAAAAvQWxvAGs=")
	if err != nil {
		t.Fatal(err)
	}
	if w, h, err := picture.Size(bytes.NewReader(file)); err != nil || w < 1 || h < 1 {
		t.Fatalf("%dx%d, %v", w, h, err)
	}
}

func TestTransparentPartsStay(t *testing.T) {
	t.Parallel()
	m := photo(300, 200)
	m.SetNRGBA(200, 150, color.NRGBA{})
	for y := 100; y < 200; y++ {
		for x := 150; x < 300; x++ {
			m.SetNRGBA(x, y, color.NRGBA{})
		}
	}
	_, out := prepare(t, encoded(t, "png", m), 150)
	if _, _, _, a := out.At(120, 80).RGBA(); a != 0 {
		t.Error("a transparent part became opaque")
	}
}

// withEXIF puts an orientation, and a note, into a JPEG.
func withEXIF(file []byte, turn byte) []byte {
	exif := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string([]byte{turn}) + "\x00\x00\x00\x00\x00\x00\x00GPS here"
	n := len(exif) + 2
	return append(append(append([]byte{}, file[:2]...), "\xFF\xE1"+string([]byte{byte(n >> 8), byte(n)})+exif...), file[2:]...)
}

func TestCamerasNotesTurnThePictureAndAreLeftOut(t *testing.T) {
	t.Parallel()
	corners := map[byte][2]int{1: {4, 4}, 2: {75, 4}, 3: {75, 55}, 4: {4, 55}, 5: {4, 4}, 6: {55, 4}, 7: {55, 75}, 8: {4, 75}}
	for turn, at := range corners {
		p, m := prepare(t, withEXIF(encoded(t, "jpeg", photo(80, 60)), turn), 600)
		if wide := turn < 5; (p.Width == 80) != wide {
			t.Errorf("%d: %dx%d", turn, p.Width, p.Height)
		}
		if r, g, b, _ := m.At(at[0], at[1]).RGBA(); r < 0xA000 || g > 0x5000 || b > 0x5000 {
			t.Errorf("%d: the red corner is not at %v: %x %x %x", turn, at, r, g, b)
		}
		if bytes.Contains(p.Data, []byte("GPS here")) {
			t.Errorf("%d: what the camera noted is sent", turn)
		}
	}
}

func TestWhatIsNoImageIsRefused(t *testing.T) {
	t.Parallel()
	huge := encoded(t, "png", photo(10, 10))
	copy(huge[16:24], "\x00\x01\x00\x00\x00\x01\x00\x00") // 65,536 by 65,536; the header's checksum no longer holds
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"text":      {[]byte("hello"), "no PNG"},
		"empty":     {nil, "no PNG"},
		"cut":       {encoded(t, "png", photo(200, 200))[:300], "damaged"},
		"bomb, gif": {[]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00;"), "megapixels"},
		"bomb, png": {huge, "no PNG"},
		"too large": {make([]byte, picture.MaxBytes+1), "larger than 50 MB"},
	} {
		if _, err := picture.Prepare(t.Context(), c.file, 600); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := picture.Prepare(ctx, encoded(t, "jpeg", photo(200, 200)), 60); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

func FuzzPrepare(f *testing.F) {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, photo(16, 12), nil) // a buffer takes everything
	f.Add(withEXIF(b.Bytes(), 6))
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if w, h, err := picture.Size(bytes.NewReader(file)); err == nil && w*h > 1<<20 {
			return // legal, but slow
		}
		_, _ = picture.Prepare(t.Context(), file, 8) // must not panic
	})
}
