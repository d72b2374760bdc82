package adachsoft

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"plimsoll/compact/ordered"
	"plimsoll/conversation"
)

// Omitting fields of one payload (adachsoft's PayloadCompactor). Rules:
//
//   - Only whole top-level fields are omitted. The record of omitted fields is stored under the key
//     _tool_compaction: as the last field, or at the position of an existing field with that key, as a PHP
//     assignment does.
//   - The record itself and fields that are already omitted are skipped, so a second compaction changes
//     nothing.
//   - A field stays if json_encode fails on it.

// OmitFields returns the arguments of a call with the named fields omitted as Dedupe omits them; nil names all
// fields. If the arguments are not a JSON object or nothing is omitted, it returns them unchanged and false.
func OmitFields(arguments string, fields []string, threshold int) (string, bool) {
	object, ok := ordered.Parse(arguments)
	if !ok {
		return arguments, false
	}
	named := make(map[string]bool, len(fields))
	for _, name := range fields {
		named[name] = true
	}
	reduced, ok := omit(object, threshold, func(key string, _ int) bool { return fields == nil || named[key] })
	if !ok {
		return arguments, false
	}
	return reduced.String(), true
}

// compactInput omits arguments over the threshold, except identifiers; false if nothing was omitted. If the record's
// key is itself an identifier, the arguments stay whole.
func compactInput(arguments ordered.Object, threshold int, identifiers []string) (ordered.Object, bool) {
	if slices.Contains(identifiers, compactionKey) {
		return arguments, false
	}
	return omit(arguments, threshold, func(key string, size int) bool {
		return size > threshold && !slices.Contains(identifiers, key)
	})
}

// compactOutput omits result fields over the threshold; false if nothing was omitted.
func compactOutput(result ordered.Object, threshold int) (ordered.Object, bool) {
	return omit(result, threshold, func(_ string, size int) bool { return size > threshold })
}

// omit replaces the fields that chosen selects by key and size in bytes with the placeholder, and adds the record. If
// nothing was omitted, it returns the object itself and false. Fields of size 0 are never omitted (adachsoft).
func omit(object ordered.Object, threshold int, chosen func(key string, size int) bool) (ordered.Object, bool) {
	var out ordered.Object
	record := strconv.AppendInt([]byte(`{"thresholdBytes":`), int64(threshold), 10)
	record = append(record, `,"omittedFields":{`...)
	for i, f := range object {
		if f.Key == compactionKey || !utf8.ValidString(f.Key) {
			continue
		}
		value, ok := readPHP(f.Value)
		if !ok || value.kind == phpString && value.text == omittedText {
			continue
		}
		size := value.size()
		if size == 0 || !chosen(f.Key, size) {
			continue
		}
		encoded, ok := value.appendJSON(nil)
		if !ok {
			continue
		}
		if out == nil {
			out = slices.Clone(object)
		} else {
			record = append(record, ',')
		}
		out[i].Value = omittedValue()
		record = appendOmission(record, f.Key, size, encoded)
	}
	if out == nil {
		return object, false
	}
	return withRecord(out, append(record, "}}"...)), true
}

func omittedValue() conversation.RawJSON { return conversation.RawJSON(`"` + omittedText + `"`) }

func appendOmission(record []byte, key string, size int, encoded []byte) []byte {
	sum := sha256.Sum256(encoded)
	record, _ = jsontext.AppendQuote(record, key) // omit passes only valid UTF-8
	record = append(record, `:{"bytes":`...)
	record = strconv.AppendInt(record, int64(size), 10)
	record = append(record, `,"sha256":"`...)
	record = hex.AppendEncode(record, sum[:])
	return append(record, `"}`...)
}

func withRecord(object ordered.Object, record conversation.RawJSON) ordered.Object {
	for i := range object {
		if object[i].Key == compactionKey {
			object[i].Value = record
			return object
		}
	}
	return append(object, ordered.Field{Key: compactionKey, Value: record})
}

// OmittedFields returns the keys whose values are omitted in after, or nil if all of them were already omitted in
// before. Apart from the record, both have the same fields in the same order.
func OmittedFields(before, after ordered.Object) []string {
	var fields []string
	changed := false
	for i, f := range after {
		if f.Key == compactionKey || i >= len(before) || string(f.Value) != string(omittedValue()) {
			continue
		}
		fields = append(fields, f.Key)
		changed = changed || string(before[i].Value) != string(f.Value)
	}
	if !changed {
		return nil
	}
	return fields
}

const compactionKey = "_tool_compaction" // adachsoft: key of the record of omitted fields

const omittedText = "[omitted]" // adachsoft: replaces an omitted value
