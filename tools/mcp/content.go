package mcp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// longestName is the longest name of a tool that providers take, in characters.
const longestName = 64

// fullName is the name under which the model calls a tool. A name that is too long, or has characters that providers refuse, is
// made to fit and ends with a hash of the original one, so that it stays the same and no other.
func fullName(server, tool string) string {
	name := conversation.ServerPrefix + server + "__" + tool
	fitting := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if fitting == name && len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	hash := "_" + hex.EncodeToString(sum[:4])
	return fitting[:min(len(fitting), longestName-len(hash))] + hash
}

// contentOf is a result as text, with its images. Images and sounds are named, structured content counts where there is no text.
func (s *server) contentOf(answer *sdk.CallToolResult) (text string, images [][]byte) {
	var parts []string
	for _, c := range answer.Content {
		if data := imageOf(c); data != nil {
			images = append(images, data)
			parts = append(parts, fmt.Sprintf("[image %d]", len(images)))
		} else if text := contentText(c); text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 && answer.StructuredContent != nil {
		if text, err := json.MarshalIndent(answer.StructuredContent, "", "  "); err == nil {
			parts = append(parts, string(text))
		}
	}
	if len(parts) == 0 {
		return "(no output)", nil
	}
	return s.safe(strings.Join(parts, "\n\n")), images
}

// imageOf is the data of an image, nil for other content.
func imageOf(c sdk.Content) []byte {
	switch c := c.(type) {
	case *sdk.ImageContent:
		return c.Data
	case *sdk.EmbeddedResource:
		if c.Resource != nil && (strings.HasPrefix(c.Resource.MIMEType, "image/") || c.Resource.MIMEType == conversation.MediaPDF) {
			return c.Resource.Blob
		}
	}
	return nil
}

func contentText(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.AudioContent:
		return notShown(c.MIMEType, "audio", len(c.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[%s](%s) %s", c.Name, c.URI, c.Description)
	case *sdk.EmbeddedResource:
		switch {
		case c.Resource == nil:
			return ""
		case c.Resource.Text != "":
			return c.Resource.URI + ":\n" + c.Resource.Text
		}
		return c.Resource.URI + ": " + resourceText(c.Resource)
	}
	return ""
}

func resourceText(r *sdk.ResourceContents) string {
	if r.Text != "" || r.Blob == nil {
		return r.Text
	}
	return notShown(r.MIMEType, "data", len(r.Blob))
}

// safe is a server's text without what a terminal would obey or hide.
func safe(text string) string { return plain.Text(plain.MarkInvisible(conversation.Clean(text))) }

// oneLine is a server's text on one line, up to some characters.
func oneLine(text string, chars int) string {
	return conversation.OneLine(plain.Line(plain.MarkInvisible(conversation.Clean(text))), chars)
}

func notShown(kind, otherwise string, bytes int) string {
	kind = cmp.Or(kind, otherwise)
	return fmt.Sprintf("[%s, %d bytes, not shown]", kind, bytes)
}

// safe is a text of the server that is safe to show, without keys that it was given.
func (s *server) safe(text string) string { return safe(s.secrets.keys.hide(text)) }

// line is the same on one line of bounded length.
func (s *server) line(text string) string { return oneLine(s.secrets.keys.hide(text), lineChars) }

// described is the same for a description.
func (s *server) described(text string) string {
	out := s.safe(text[:min(len(text), 8*maxDescription)])
	if r := []rune(out); len(r) > maxDescription {
		out = string(r[:maxDescription]) + "…"
	}
	return out
}
