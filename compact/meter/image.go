package meter

import "plimsoll/conversation"

// ImageRule is how a model bills images, in tokens: so many for each, for each tile of 512 pixels after OpenAI's scaling, and for
// each pixel. A page of a PDF counts as its text and its picture. The calibration never changes it. Without numbers it stands for
// [TileRule].
type ImageRule struct {
	Base  float64 `json:"base"`
	Tile  float64 `json:"tile"`
	Pixel float64 `json:"pixel"`
	// Pages says that PDFs are sent, not a line of text for each.
	Pages bool `json:"-"`
}

// The rules of the two large families. Where nothing is published an image is counted in tiles.
var (
	TileRule  = ImageRule{Base: 85, Tile: 170, Pages: true} // OpenAI, "Images and vision"
	PixelRule = ImageRule{Pixel: 1.0 / 750, Pages: true}    // Anthropic, "Vision"
	// LineRule is that of a model without eyes, which is sent a line of text for each image.
	LineRule = ImageRule{Base: 20}
)

// A page of a PDF is sent as its text and as a picture of letter size ("PDF support" of Anthropic, "File inputs" of OpenAI). No
// provider publishes the sum: this is an estimate, by which Claude takes 2,287 tokens for a page. Its documentation has 7,000
// for three; measured are 2,100 to 2,330 for a page of text and 1,600 for one that is only a picture.
const (
	pageText   = 700 // tokens
	pageTiles  = 4
	pagePixels = 1_190_000
)

// Tokens returns the tokens of images.
func (r ImageRule) Tokens(s conversation.ImageSize) float64 {
	if s.Count == 0 {
		return 0
	}
	if r.Base+r.Tile+r.Pixel == 0 {
		r.Base, r.Tile = TileRule.Base, TileRule.Tile
	}
	sum := r.Base*float64(s.Count) + r.Tile*float64(s.Tiles) + r.Pixel*float64(s.Pixels)
	if r.Pages {
		sum += float64(s.Pages) * (pageText + r.Base + r.Tile*pageTiles + r.Pixel*pagePixels)
	}
	return sum
}

// RequestImages returns the part of RequestEstimate that is images, for Usage.Images.
func (m Meter) RequestImages() float64 { return m.images }

// calibrated returns an estimate of the model's tokens, of which images is exact.
func (m *Meter) calibrated(estimate, images float64) float64 {
	return m.Factor()*(estimate-images) + images
}

func (m *Meter) imagesIn(s *conversation.Size) float64 { return m.options.Images.Tokens(s.Images) }

// MaxSide returns the longest side that the model looks at, in pixels: a longer one would be scaled by the provider.
func (r ImageRule) MaxSide() int {
	if r.Pixel > 0 {
		return 1568
	}
	return 2048
}
