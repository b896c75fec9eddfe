"""Certificates that are signed by themselves, with their key in the same file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def certificate(path: Path, name: str = "other.test", address: str = "127.0.0.9") -> Path:
    """Write a certificate for a name and an IP address."""
    key = ec.generate_private_key(ec.SECP256R1())
    owner = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    begin = datetime.now(UTC) - timedelta(days=1)
    builder = x509.CertificateBuilder(owner, owner, key.public_key(), 1, begin, begin.replace(year=2999))  # fmt: skip
    names = [x509.DNSName(name), x509.IPAddress(ip_address(address))]
    builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    private = key.private_bytes(pem, pkcs8, serialization.NoEncryption())
    path.write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(pem) + private)
    return path
