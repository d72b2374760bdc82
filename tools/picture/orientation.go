package picture

import (
	"bytes"
	"encoding/binary"
)

// A camera stores a picture as the sensor saw it. The EXIF part of the JPEG says how to turn it.

const orientationTag = 0x0112

// segments calls f for each part of a JPEG before the picture itself, with the bytes [from, to) of the whole part. It returns
// where the rest begins.
func segments(file []byte, f func(marker byte, from, to int)) (rest int) {
	if len(file) < 4 || file[0] != 0xFF || file[1] != 0xD8 {
		return 0
	}
	at := 2
	for at+4 <= len(file) && file[at] == 0xFF && file[at+1] != 0xDA {
		end := at + 2 + int(binary.BigEndian.Uint16(file[at+2:]))
		if end < at+4 || end > len(file) {
			break
		}
		f(file[at+1], at, end)
		at = end
	}
	return at
}

// orientation returns how a JPEG has to be turned, 1 to 8; 1 for any other file.
func orientation(file []byte) int {
	orient := 1
	segments(file, func(marker byte, from, to int) {
		if exif, ok := bytes.CutPrefix(file[from+4:to], []byte("Exif\x00\x00")); ok && marker == 0xE1 {
			orient = orientationIn(exif)
		}
	})
	return orient
}

// withoutMetadata returns a JPEG without EXIF, XMP, IPTC and comments, any other file unchanged.
func withoutMetadata(file []byte) []byte {
	out := append([]byte(nil), file[:min(2, len(file))]...)
	rest := segments(file, func(marker byte, from, to int) {
		if marker != 0xE1 && marker != 0xED && marker != 0xFE {
			out = append(out, file[from:to]...)
		}
	})
	if rest == 0 {
		return file
	}
	return append(out, file[rest:]...)
}

// orientationIn reads the orientation from an EXIF block.
func orientationIn(exif []byte) int {
	var order binary.ByteOrder = binary.BigEndian
	switch {
	case len(exif) < 8:
		return 1
	case string(exif[:2]) == "II":
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(exif[4:]))
	if at+2 > int64(len(exif)) {
		return 1
	}
	entries := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == orientationTag {
			if orient := int(order.Uint16(entries[8:])); orient >= 1 && orient <= 8 {
				return orient
			}
			break
		}
		entries = entries[12:]
	}
	return 1
}
