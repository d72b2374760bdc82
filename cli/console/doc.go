// Package console is the environment of the commands: the streams that they read and write, the variables, and the format of
// their output. Text for a terminal is made safe; JSON has no control characters; an error says what happened and what to do,
// and decides the exit code.
package console
