"""Signatures of pushed requests."""

from __future__ import annotations

import base64
import unittest
from typing import Dict

from outlast import webhook

OLD = "whsec_" + base64.b64encode(b"o" * 24).decode()
NEW = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def headers(secret: str, body: bytes, at: int = 1000) -> Dict[str, str]:
    usual = {"Webhook-Id": "msg_1", "Webhook-Timestamp": str(at), "Webhook-Signature": webhook.sign(secret, "msg_1", at, body)}
    return {**usual, "Outlast-Claim": "17", "Outlast-Attempt": "2"}


class Signatures(unittest.TestCase):
    verifier = webhook.Verifier(NEW, now=lambda: 1000.0)

    def test_that_of_the_standard(self) -> None:
        """The example of Standard Webhooks and its libraries."""
        body, id, at = b'{"test": 2432232314}', "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330
        self.assertEqual(webhook.sign(NEW, id, at, body), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")

    def test_what_it_is(self) -> None:
        more = {"Outlast-Task-Type": "order.paid", "Outlast-Key": "a%20b", "Outlast-Max-Attempts": "5", "Outlast-Deadline": "2030-01-01T00:00:00.5Z"}
        push = self.verifier.verify(b'{"n": 1}', {**headers(NEW, b'{"n": 1}'), **more})
        self.assertEqual((push.id, push.claim, push.attempt, push.max_attempts), ("msg_1", 17, 2, 5))
        self.assertEqual((push.type, push.key, push.sent_at, push.json()), ("order.paid", "a b", 1000, {"n": 1}))
        self.assertEqual(push.deadline and push.deadline.microsecond, 500000)

    def test_refused(self) -> None:
        good = headers(NEW, b"{}")
        cases = {
            "another body": (b"{ }", good),
            "another id": (b"{}", {**good, "Webhook-Id": "msg_2"}),
            "another time": (b"{}", {**good, "Webhook-Timestamp": "1001"}),
            "too old": (b"{}", headers(NEW, b"{}", 699)),
            "too new": (b"{}", headers(NEW, b"{}", 1301)),
            "another secret": (b"{}", headers(OLD, b"{}")),
            "another version": (b"{}", {**good, "Webhook-Signature": "v2" + good["Webhook-Signature"][2:]}),
            "no number": (b"{}", {**good, "Webhook-Timestamp": "+1000"}),
            "odd signature": (b"{}", {**good, "Webhook-Signature": "v1,\u00e4 v1 ,"}),
            "odd claim": (b"{}", {**good, "Outlast-Claim": "x"}),
            **{f"no {name}": (b"{}", {n: v for n, v in good.items() if n != name}) for name in list(good)[:3]},
        }
        for name, (body, given) in cases.items():
            with self.subTest(name), self.assertRaises(webhook.WebhookError):
                self.verifier.verify(body, given)
        self.verifier.verify(b"{}", {name.upper(): value for name, value in good.items()})
        for at in (700, 1300):
            self.verifier.verify(b"{}", headers(NEW, b"{}", at))

    def test_rotation(self) -> None:
        both = webhook.Verifier(OLD, NEW, now=lambda: 1000.0)
        for secret in (OLD, NEW):
            both.verify(b"{}", headers(secret, b"{}"))
        two = headers(OLD, b"{}")
        two["Webhook-Signature"] += " " + webhook.sign(NEW, "msg_1", 1000, b"{}")
        self.verifier.verify(b"{}", two)

    def test_secrets(self) -> None:
        sized = {size: "whsec_" + base64.b64encode(b"x" * size).decode() for size in (0, 23, 24, 64, 65)}
        for secret in ("", "MfKQ", "whsec_***", sized[0], sized[23], sized[65]):
            with self.subTest(secret), self.assertRaises(ValueError):
                webhook.Verifier(secret)
        webhook.Verifier(sized[24], sized[64])
        with self.assertRaises(ValueError):
            webhook.Verifier()


if __name__ == "__main__":
    unittest.main()
