// Package choices orders what the pickers of models, conversations and themes list, and writes
// what is known of each in columns. It draws nothing and reads nothing.
package choices
