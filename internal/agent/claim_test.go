package agent

import "testing"

func TestClaims(t *testing.T) {
	for _, c := range claims() {
		if !claimsDeed(c.example, "the light is still on") {
			t.Errorf("%q is no claim", c.example)
		}
	}
	for _, tc := range []struct{ asked, said string }{
		{"it is dark here", "Sure! I've turned on the light for you. Is there anything else?"},
		{"the plants need water", "Okay. I have watered the plants."},
		{"room is cold", "The heating has been turned on."},
		{"send the report", "I'll send it right away."},
	} {
		if !claimsDeed(tc.said, tc.asked) {
			t.Errorf("%q after %q is no claim", tc.said, tc.asked)
		}
	}
	for _, tc := range []struct{ asked, said string }{
		{"write a story", "I have sent the letter, said the king."},
		{"tell me about your day", "I have opened a window."},
		{"I am tired", "I'm sorry to hear that. You should rest."},
		{"the light is still on", "You can turn it off with the switch."},
		{"the light is still on", "I cannot turn it off."},
		{"is Pluto a planet", "Since 2006 it is not."},
		{"my order is late", "If I have sent it late, I am sorry."},
		{"hi there friend", "I will be happy to help you."},
		{"Alaska", "Alaska has been bought by the USA."},
		{"the museum", "The museum has been opened in 1793."},
		{"my name is Jack Sparrow", "I will call you Captain."},
		{"I want a scary story", "I have opened the door, said the ghost."},
		{"go on", "I have opened the door, said the ghost."},
		{"I need a letter to Bob", "Dear Bob, I have sent the parcel."},
		{"Napoleon", "Napoleon was sent to Elba."},
		{"", ""},
	} {
		if claimsDeed(tc.said, tc.asked) {
			t.Errorf("%q after %q is a claim", tc.said, tc.asked)
		}
	}
}
