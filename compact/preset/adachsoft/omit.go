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

// What becomes of one payload (ADA's PayloadCompactor). Rules:
//
//   - Only top-level fields go, each whole, and the record of what went stands
//     under _tool_compaction: behind the others, or where the payload already
//     has that key, as an assignment in PHP leaves it.
//   - The record is no field, and a field that already is the placeholder has
//     nothing left to omit: so that compacting twice is compacting once.
//   - A field that json_encode fails on stays.

// OmitFields returns the arguments of a call with the named fields omitted as Dedupe omits them, all of them if fields is
// nil. It is false, with the arguments as they are, if they cannot be read or have nothing to omit.
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

// compactInput omits arguments over the threshold that are no identifiers;
// false if there are none. Where the record itself would be an identifier the
// arguments stay whole.
func compactInput(arguments ordered.Object, threshold int, identifiers []string) (ordered.Object, bool) {
	if slices.Contains(identifiers, compactionKey) {
		return arguments, false
	}
	return omit(arguments, threshold, func(key string, size int) bool {
		return size > threshold && !slices.Contains(identifiers, key)
	})
}

// compactOutput omits the fields of a result over the threshold; false if
// there are none.
func compactOutput(result ordered.Object, threshold int) (ordered.Object, bool) {
	return omit(result, threshold, func(_ string, size int) bool { return size > threshold })
}

// omit puts the placeholder in place of the fields chosen by key and size in
// bytes, and the record beside them; false, with the object itself, if nothing
// was omitted. Fields without a size are never chosen (ADA).
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
	record, _ = jsontext.AppendQuote(record, key) // UTF-8, as omit sees to
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

// OmittedFields are the keys whose values are omitted in after, if any of them
// was not in before; nil otherwise. Both have the same fields in the same order
// but for the record.
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

const compactionKey = "_tool_compaction" // ADA: key of the record of what was omitted

const omittedText = "[omitted]" // ADA: in place of a field
