// Package picture makes images fit for models. It reads PNG, JPEG, GIF and WebP, scales them down so that the longest side has
// the pixels that the model looks at, and encodes them as PNG or JPEG. PDFs stay as they are.
//
// A file can be hostile: the package reads its header first, and decodes nothing larger than [MaxPixels].
package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the first picture of an animation
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"plimsoll/conversation"
)

// Limits of a file.
const (
	MaxBytes  = 50 << 20
	MaxPixels = 40_000_000
)

// maxSent is the size in bytes above which any picture is encoded as JPEG; providers refuse more than 5 MB in base64.
const maxSent = 3 << 20

// jpegQuality keeps small text readable.
const jpegQuality = 85

// maxPNG is the size in bytes above which an opaque picture is encoded as JPEG if that is smaller.
const maxPNG = 256 << 10

// ErrNoImage reports a file that is no PNG, JPEG, GIF, WebP or PDF.
var ErrNoImage = errors.New("it is no PNG, JPEG, GIF, WebP or PDF")

// Picture is an image, or a PDF, as models take it.
type Picture struct {
	Data          []byte
	Media         string // "image/png", "image/jpeg" or [conversation.MediaPDF]
	Width, Height int    // in pixels
	Pages         int    // of a PDF
}

// Size reads the size of an image in pixels from its header. The error is [ErrNoImage], or says that it is too large.
func Size(r io.Reader) (width, height int, err error) {
	c, _, err := image.DecodeConfig(r)
	switch {
	case err != nil || c.Width <= 0 || c.Height <= 0:
		return 0, 0, ErrNoImage
	case int64(c.Width)*int64(c.Height) > MaxPixels:
		return 0, 0, fmt.Errorf("it has %dx%d pixels, and %d megapixels are the most", c.Width, c.Height, MaxPixels/1_000_000)
	}
	return c.Width, c.Height, nil
}

// Fit returns the size of an image after scaling it down to a longest side, in pixels.
func Fit(width, height, side int) (int, int) {
	long := max(width, height)
	if side <= 0 || long <= side {
		return width, height
	}
	return max(1, (width*side+long/2)/long), max(1, (height*side+long/2)/long)
}

// Prepare decodes a file and scales it to a longest side in pixels. A PNG or JPEG that is small enough keeps its pixels. The
// result has no metadata, such as where and when a photograph was taken. The pages of a PDF are counted.
func Prepare(ctx context.Context, file []byte, side int) (Picture, error) {
	if bytes.HasPrefix(file, []byte("%PDF-")) {
		n, err := Pages(file)
		return Picture{Data: file, Media: conversation.MediaPDF, Pages: n}, err
	}
	if len(file) > MaxBytes {
		return Picture{}, fmt.Errorf("it is larger than %d MB", MaxBytes>>20)
	}
	w, h, err := Size(bytes.NewReader(file))
	if err != nil {
		return Picture{}, err
	}
	orient := orientation(file)
	swapped := orient > 4 // turning makes columns of the rows
	if swapped {
		w, h = h, w
	}
	var p Picture
	p.Width, p.Height = Fit(w, h, side)
	img, format, err := decode(file)
	if err != nil {
		return Picture{}, err
	}
	if orient < 2 && p.Width == w && (format == "png" || format == "jpeg") && len(file) <= maxSent {
		p.Data, p.Media = withoutMetadata(file), "image/"+format
		return p, nil
	}
	if err := ctx.Err(); err != nil {
		return Picture{}, err
	}
	img = turned(scaled(img, p.Width, p.Height, swapped), orient)
	if err := ctx.Err(); err != nil {
		return Picture{}, err
	}
	p.Data, p.Media, err = encode(img, format == "jpeg")
	return p, err
}

// Scale decodes a file and scales it to a size in pixels.
func Scale(file []byte, width, height int) (image.Image, error) {
	if _, _, err := Size(bytes.NewReader(file)); err != nil {
		return nil, err
	}
	m, _, err := decode(file)
	if err != nil {
		return nil, err
	}
	return scaled(m, width, height, false), nil
}

// decode decodes a file whose header was checked.
func decode(file []byte) (img image.Image, format string, err error) {
	defer func() {
		if recover() != nil { // a decoder that a damaged file confuses
			err = errors.New("it is damaged")
		}
	}()
	if img, format, err = image.Decode(bytes.NewReader(file)); err != nil {
		return nil, "", errors.New("it is damaged: " + err.Error())
	}
	return img, format, nil
}

// scaled returns an image of the given size before it is turned; swapped says that turning swaps the sides.
func scaled(img image.Image, width, height int, swapped bool) image.Image {
	if swapped {
		width, height = height, width
	}
	if b := img.Bounds(); b.Dx() == width && b.Dy() == height {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height)) // the scaler is ten times slower with others
	draw.CatmullRom.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}

// encode returns a photograph as JPEG. Anything else becomes PNG, which keeps letters sharp, unless that is large and the picture
// has no transparent parts.
func encode(img image.Image, photo bool) (data []byte, media string, err error) {
	var asPNG, asJPEG bytes.Buffer
	if !photo {
		if err := png.Encode(&asPNG, img); err != nil {
			return nil, "", fmt.Errorf("encoding it: %w", err)
		}
		if asPNG.Len() <= maxPNG || !opaque(img) && asPNG.Len() <= maxSent {
			return asPNG.Bytes(), "image/png", nil
		}
	}
	if !opaque(img) {
		flat := image.NewRGBA(img.Bounds())
		draw.Draw(flat, flat.Bounds(), image.White, image.Point{}, draw.Src)
		draw.Draw(flat, flat.Bounds(), img, img.Bounds().Min, draw.Over)
		img = flat
	}
	if err := jpeg.Encode(&asJPEG, img, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return nil, "", fmt.Errorf("encoding it: %w", err)
	}
	if !photo && asPNG.Len() <= asJPEG.Len() {
		return asPNG.Bytes(), "image/png", nil
	}
	return asJPEG.Bytes(), "image/jpeg", nil
}

func opaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

// turned applies an orientation as cameras store it (EXIF 1 to 8).
func turned(img image.Image, orient int) image.Image {
	if orient < 2 {
		return img
	}
	fromRight := orient == 2 || orient == 3 || orient == 7 || orient == 8
	fromBelow := orient == 3 || orient == 4 || orient == 6 || orient == 7
	swapped := orient > 4 // rows become columns
	b := img.Bounds()
	size := b.Size()
	if swapped {
		size.X, size.Y = size.Y, size.X
	}
	out := image.NewNRGBA(image.Rectangle{Max: size})
	for y := range b.Dy() {
		for x := range b.Dx() {
			to := image.Pt(x, y)
			if fromRight {
				to.X = b.Dx() - 1 - x
			}
			if fromBelow {
				to.Y = b.Dy() - 1 - y
			}
			if swapped {
				to.X, to.Y = to.Y, to.X
			}
			out.Set(to.X, to.Y, img.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return out
}
