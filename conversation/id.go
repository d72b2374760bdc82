package conversation

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// IDLength is the number of characters of a conversation's ID.
const IDLength = 12

// MinIDPrefix is the least number of ID characters with which a user can name a conversation.
const MinIDPrefix = 4

// NewID returns a random ID: 12 lower-case base32 characters (60 bits).
func NewID() string {
	var b [8]byte
	// crypto/rand.Read never fails (it ends the program instead).
	_, _ = rand.Read(b[:])
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))[:IDLength]
}

// IDOf returns the ID that belongs to a name: always the same one.
func IDOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:IDLength]
}

// ValidID reports whether s has the form of an ID.
func ValidID(s string) bool {
	return len(s) == IDLength && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
