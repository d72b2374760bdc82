package web

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"golang.org/x/net/html/charset"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A response body is converted by its declared type, or by a detected one if it
// declares none. Text is decoded from its character set. HTML becomes Markdown
// without scripts and styles. Of any other body only type and size are shown.

const maxBody = 5 << 20 // bytes that are read

// Answer is an HTTP response as text.
type Answer struct {
	Text   string // for the model: status, headers and body
	Detail string // for the screen: status and size
	Failed bool   // the status code is 400 or more
}

const sniffed = 8 << 10 // bytes searched for a NUL

func bodyText(resp *http.Response, body []byte, cut, raw bool) string {
	if len(body) == 0 {
		return "(no body)"
	}
	declared := resp.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(declared)
	if err != nil || media == "" || media == "application/octet-stream" {
		declared = http.DetectContentType(body)
		media, _, _ = strings.Cut(declared, ";")
	}
	if !isText(media) || bytes.IndexByte(body[:min(len(body), sniffed)], 0) >= 0 && !strings.Contains(strings.ToLower(declared), "utf-16") {
		size := numbers.Bytes(int64(len(body)))
		if cut {
			size = "more than " + size
		}
		return fmt.Sprintf("(a body of type %s, %s, is not text and is not shown)", conversation.OneLine(media, 100), size)
	}
	text := decoded(body, declared, media)
	if raw || media != "text/html" && media != "application/xhtml+xml" {
		return text
	}
	markdown, err := toMarkdown(text, resp.Request.URL.Scheme+"://"+resp.Request.URL.Host)
	if err != nil {
		return "(the page is nested too deeply, or its tables are too large, to be made text; raw: true shows its source)"
	}
	if strings.TrimSpace(markdown) == "" {
		return "(the page has no readable text; raw: true shows its source)"
	}
	return markdown
}

func isText(media string) bool {
	switch {
	case strings.HasPrefix(media, "text/"), strings.HasSuffix(media, "+json"), strings.HasSuffix(media, "+xml"), strings.HasSuffix(media, "+yaml"):
		return true
	}
	switch media {
	case "application/json", "application/xml", "application/javascript", "application/ecmascript", "application/x-javascript",
		"application/yaml", "application/x-yaml", "application/toml", "application/x-ndjson", "application/jsonl", "application/graphql",
		"application/x-www-form-urlencoded", "application/sql", "application/x-sh", "application/rtf", "message/rfc822":
		return true
	}
	return false
}

// decoded returns body in UTF-8. JSON is UTF-8 by definition; the character set of
// other text comes from its declared type, a byte order mark or a meta element.
func decoded(body []byte, declared, media string) string {
	if media == "application/json" || strings.HasSuffix(media, "+json") {
		return conversation.Clean(string(body))
	}
	r, err := charset.NewReader(bytes.NewReader(body), declared)
	if err != nil {
		return conversation.Clean(string(body))
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return conversation.Clean(string(body))
	}
	return conversation.Clean(string(text))
}

func describe(resp *http.Response, body []byte, broken error, raw bool) Answer {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s\n", resp.Proto, resp.Status)
	if at := resp.Request.URL.Redacted(); resp.Request.Response != nil {
		fmt.Fprintf(&out, "Final address: %s\n", at)
	}
	for _, name := range []string{"Content-Type", "Last-Modified", "ETag", "Location", "Retry-After", "Allow", "Link"} {
		if v := resp.Header.Get(name); v != "" {
			fmt.Fprintf(&out, "%s: %s\n", name, conversation.OneLine(v, 500))
		}
	}
	out.WriteString("\n")
	cut := len(body) > maxBody
	body = body[:min(len(body), maxBody)]
	out.WriteString(bodyText(resp, body, cut, raw))
	switch {
	case cut:
		out.WriteString("\n[only the first 5 MiB were read]")
	case broken != nil:
		out.WriteString("\n[the connection broke before the end]")
	}
	return Answer{Text: out.String(), Detail: resp.Status + ", " + numbers.Bytes(int64(len(body))), Failed: resp.StatusCode >= 400}
}
