package compact

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"unicode/utf8"

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

// compactInput omits arguments over the threshold that are no identifiers;
// false if there are none. Where the record itself would be an identifier the
// arguments stay whole.
func compactInput(arguments OrderedObject, threshold int, identifiers []string) (OrderedObject, bool) {
	if slices.Contains(identifiers, compactionKey) {
		return arguments, false
	}
	return omit(arguments, threshold, func(key string, size int) bool {
		return size > threshold && !slices.Contains(identifiers, key)
	})
}

// compactOutput omits the fields of a result over the threshold; false if
// there are none.
func compactOutput(result OrderedObject, threshold int) (OrderedObject, bool) {
	return omit(result, threshold, func(_ string, size int) bool { return size > threshold })
}

// omit puts the placeholder in place of the fields chosen by key and size in
// bytes, and the record beside them; false, with the object itself, if nothing
// was omitted. Fields without a size are never chosen (ADA).
func omit(object OrderedObject, threshold int, chosen func(key string, size int) bool) (OrderedObject, bool) {
	var out OrderedObject
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

// omittedValue is the placeholder as JSON.
func omittedValue() conversation.RawJSON { return conversation.RawJSON(`"` + omittedText + `"`) }

// appendOmission adds what the record says of one field.
func appendOmission(record []byte, key string, size int, encoded []byte) []byte {
	sum := sha256.Sum256(encoded)
	record = append(appendKey(record, key), `:{"bytes":`...)
	record = strconv.AppendInt(record, int64(size), 10)
	record = append(record, `,"sha256":"`...)
	record = hex.AppendEncode(record, sum[:])
	return append(record, `"}`...)
}

// withRecord sets the record in an object of its own.
func withRecord(object OrderedObject, record conversation.RawJSON) OrderedObject {
	for i := range object {
		if object[i].Key == compactionKey {
			object[i].Value = record
			return object
		}
	}
	return append(object, ObjectField{Key: compactionKey, Value: record})
}

// omittedFields are the keys whose values are omitted in after, if any of them
// was not in before; nil otherwise. Both have the same fields in the same order
// but for the record.
func omittedFields(before, after OrderedObject) []string {
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
