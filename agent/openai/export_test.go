package openai

// LimitStream sets the maximum bytes of a reply's stream: the default takes long to reach.
func (c *Client) LimitStream(bytes int) { c.maxStream = bytes }
