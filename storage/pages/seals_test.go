package pages_test

import (
	"bytes"
	"testing"

	"plimsoll/storage/pages"
)

// One flipped bit is corrected wherever it is; two are never corrected.
func TestOneFlippedBitIsCorrected(t *testing.T) {
	t.Parallel()
	value := bytes.Repeat([]byte("the ferry leaves at noon; "), 40)
	key := []byte{0, 0, 0, 0, 0, 0, 0, 9}
	stored := pages.Seal([]byte("events"), key, bytes.Clone(value))
	for bit := range len(stored) * 8 {
		stored[bit/8] ^= 1 << (bit % 8)
		if right, mended, err := pages.Unseal([]byte("events"), key, stored); !mended || err != nil || !bytes.Equal(right, value) {
			t.Fatalf("bit %d: mended %v, %v", bit, mended, err)
		}
		other := (bit*7 + 5) % (len(stored) * 8)
		stored[other/8] ^= 1 << (other % 8)
		if _, _, err := pages.Unseal([]byte("events"), key, stored); (err == nil) != (other == bit) {
			t.Fatalf("bits %d and %d: %v", bit, other, err)
		}
		stored[other/8] ^= 1 << (other % 8)
		stored[bit/8] ^= 1 << (bit % 8)
	}
	if _, _, err := pages.Unseal([]byte("events"), key[1:], stored); err == nil {
		t.Error("a value is accepted under another key")
	}
}

// In a long value, many flipped bits may have the checksum of a single one. It must not be
// corrected.
func TestVeryLongValueIsNotCorrected(t *testing.T) {
	t.Parallel()
	stored := pages.Seal([]byte("events"), []byte("k"), make([]byte, 16<<20+1))
	if _, mended, err := pages.Unseal([]byte("events"), []byte("k"), stored); mended || err != nil {
		t.Fatal(mended, err)
	}
	stored[99] ^= 4
	if _, _, err := pages.Unseal([]byte("events"), []byte("k"), stored); err == nil {
		t.Error("a value above the limit was corrected")
	}
}
